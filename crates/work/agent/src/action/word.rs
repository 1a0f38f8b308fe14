//! The closed lists of words that an action's fields take.

use clawperator_document::words;

words! {
    /// What a person is asked for.
    pub Capability {
        Camera = "camera",
        Qr = "qr",
        Microphone = "microphone",
        /// A spoken sentence.
        Voice = "voice",
        /// Something held to the phone.
        Nfc = "nfc",
        /// A text message, or the code in it.
        Sms = "sms",
        TwoFactor = "2fa",
        Location = "location",
        /// A fingerprint or a face.
        Biometric = "biometric",
        /// What a notification says.
        Notification = "notification",
        /// People in an address book.
        Contacts = "contacts",
        /// Dates in a calendar.
        Calendar = "calendar",
        Files = "files",
        /// A login at another service.
        Oauth = "oauth",
        Payment = "payment",
        /// A permission of an app, or of this program.
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
        /// A secret line.
        Password = "password",
        Email = "email",
        Number = "number",
        Date = "date",
        /// One of some options.
        Select = "select",
        Otp = "otp",
        /// A payment card's number.
        CardNumber = "card-number",
        /// A payment card's end of validity.
        Expiry = "expiry",
        /// A payment card's check digits.
        Cvc = "cvc",
    }
}
