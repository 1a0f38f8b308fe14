//! The taxonomies: the words that a recipe may use, one table each.

use clawperator_document::words;

words! {
    /// What a recipe does.
    pub RecipeType {
        Probe = "probe" "It observes and changes nothing.",
        Flow = "flow" "It goes through several screens, and may only read.",
        Action = "action" "It changes something and verifies it.",
    }

    /// What an app is built with.
    pub Framework {
        Views = "views" "Android's own views.",
        Compose = "compose" "Jetpack Compose.",
        ReactNative = "react-native" "React Native.",
        Expo = "expo" "Expo.",
        Flutter = "flutter" "Flutter.",
        Webview = "webview" "Web pages inside the app.",
        Hybrid = "hybrid" "Several of these.",
        Unknown = "unknown" "It is not known.",
    }

    /// Whether a recipe starts its app afresh.
    pub SessionPolicy {
        Fresh = "fresh" "The app is closed and opened first.",
        ResumeOk = "resume_ok" "The app stays as it is.",
    }

    /// What a recipe does on a phone, for policies.
    pub Capability {
        Observe = "observe" "It looks at the screen.",
        Navigate = "navigate" "It opens and closes its app, or scrolls.",
        Click = "click" "It clicks.",
        LongClick = "long_click" "It presses long.",
        TypeText = "type_text" "It types text.",
        Toggle = "toggle" "It changes a setting.",
        PurchaseRisk = "purchase_risk" "It could spend money.",
    }

    /// How much harm a recipe can do.
    pub RiskLevel {
        Low = "low" "Little.",
        Medium = "medium" "Some.",
        High = "high" "Much.",
    }

    /// Where the text of a selector comes from.
    pub Annotation {
        Structural = "STRUCTURAL" "It belongs to the app's structure and is the same for every user.",
        Variable = "VARIABLE" "It changes with the app's state.",
        UserSpecific = "USER_SPECIFIC" "It belongs to a user, so it must be an input.",
        Derived = "DERIVED" "It follows from something read before.",
    }

    /// The type of an input or an output.
    pub ValueType {
        String = "string" "A text.",
        Number = "number" "A number.",
        Boolean = "boolean" "True or false.",
    }
}
