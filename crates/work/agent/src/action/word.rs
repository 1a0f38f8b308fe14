//! The closed lists of words that an action's fields take.

use clawperator_document::words;

words! {
    /// What a person is asked for.
    pub Capability {
        Camera = "camera",
        Qr = "qr",
        Microphone = "microphone",
        Voice = "voice",
        Nfc = "nfc",
        Sms = "sms",
        TwoFactor = "2fa",
        Location = "location",
        Biometric = "biometric",
        Notification = "notification",
        Contacts = "contacts",
        Calendar = "calendar",
        Files = "files",
        Oauth = "oauth",
        Payment = "payment",
        Permission = "permission",
        Unknown = "unknown",
    }

    /// What to do with the programs that run in the background.
    pub ProcessAction {
        List = "list",
        Poll = "poll",
        Log = "log",
        Write = "write",
        Kill = "kill",
    }

    /// What an approval gives back, beside yes or no.
    pub ArtifactKind {
        /// Whatever the fields suggest.
        Auto = "auto",
        Credentials = "credentials",
        PaymentCard = "payment_card",
        Form = "form",
    }

    /// What a field of an approval page takes.
    pub FieldType {
        Text = "text",
        TextArea = "textarea",
        Password = "password",
        Email = "email",
        Number = "number",
        Date = "date",
        Select = "select",
        Otp = "otp",
        CardNumber = "card-number",
        Expiry = "expiry",
        Cvc = "cvc",
    }
}
