//! What a screen is made of: one row of the table per kind of widget.

use super::effect::Effect;
use super::expression::Expression;
use super::template::Template;
use schemars::JsonSchema;
use serde::Deserialize;

/// What every widget has, whatever its kind; its fields are those of each.
#[derive(Clone, Copy, Debug)]
pub struct Traits<'a> {
    pub id: Option<&'a Template>,
    pub desc: Option<&'a Template>,
    pub visible: Option<&'a Expression>,
    pub enabled: Option<&'a Expression>,
    pub selected: Option<&'a Expression>,
    pub on_click: Option<&'a [Effect]>,
    pub on_long_click: Option<&'a [Effect]>,
    pub weight: Option<u16>,
    pub width: Option<u16>,
    pub height: Option<u16>,
    pub class: Option<&'a str>,
}

/// Makes the enum, a struct for each kind with the traits and its own fields, and the way to the
/// traits. (A flattened struct would lose the place of an error in the file.)
macro_rules! widgets {
    ($(
        $(#[doc = $doc:literal])+
        $kind:ident { $($(#[doc = $field_doc:literal])+ $(#[serde($($serde:tt)*)])? $field:ident: $type:ty,)* }
    )+) => {
        /// One widget.
        #[derive(Clone, Debug, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum Widget {
            $($(#[doc = $doc])+ $kind(Box<$kind>),)+
        }

        impl Widget {
            /// What it has in common with all others.
            pub fn traits(&self) -> Traits<'_> {
                match self {
                    $(Self::$kind(widget) => Traits {
                        id: widget.id.as_ref(),
                        desc: widget.desc.as_ref(),
                        visible: widget.visible.as_ref(),
                        enabled: widget.enabled.as_ref(),
                        selected: widget.selected.as_ref(),
                        on_click: widget.on_click.as_deref(),
                        on_long_click: widget.on_long_click.as_deref(),
                        weight: widget.weight,
                        width: widget.width,
                        height: widget.height,
                        class: widget.class.as_deref(),
                    },)+
                }
            }
        }

        $(
            $(#[doc = $doc])+
            #[derive(Clone, Debug, Deserialize, JsonSchema)]
            #[serde(deny_unknown_fields)]
            pub struct $kind {
                /// Its resource id, without the package.
                pub id: Option<Template>,
                /// What a screen reader says.
                pub desc: Option<Template>,
                /// Whether it is there at all.
                pub visible: Option<Expression>,
                /// Whether it can be used.
                pub enabled: Option<Expression>,
                /// Whether it is the chosen one.
                pub selected: Option<Expression>,
                /// What a click does.
                pub on_click: Option<Vec<Effect>>,
                /// What a long click does.
                pub on_long_click: Option<Vec<Effect>>,
                /// Its share of a row's width or of a column's height.
                pub weight: Option<u16>,
                /// Its width in dp.
                pub width: Option<u16>,
                /// Its height in dp.
                pub height: Option<u16>,
                /// Its class, if not the usual one of its kind.
                pub class: Option<String>,
                $($(#[doc = $field_doc])+ $(#[serde($($serde)*)])? pub $field: $type,)*
            }
        )+
    };
}

widgets! {
    /// Widgets below each other.
    Column {
        /// What is in it.
        children: Vec<Widget>,
        /// The space around all of it, in dp.
        #[serde(default)] padding: u16,
        /// The space between two of them, in dp.
        #[serde(default)] gap: u16,
        /// Whether it scrolls when it is too high.
        #[serde(default)] scroll: bool,
        /// Its colour, such as `#ff0000`.
        color: Option<Template>,
        /// Whether its colour has round corners.
        #[serde(default)] round: bool,
    }
    /// Widgets beside each other.
    Row {
        /// What is in it.
        children: Vec<Widget>,
        /// The space around all of it, in dp.
        #[serde(default)] padding: u16,
        /// The space between two of them, in dp.
        #[serde(default)] gap: u16,
        /// Its colour.
        color: Option<Template>,
        /// Whether its colour has round corners.
        #[serde(default)] round: bool,
    }
    /// Widgets on top of each other, the last one uppermost.
    Stack {
        /// What is in it.
        children: Vec<Widget>,
    }
    /// Rows that exist only while they are on the screen.
    List {
        /// How many rows, or the list they show.
        items: Expression,
        /// The name that a row knows its item by; `NAME_index` is its number.
        #[serde(rename = "as", default = "item")] name: String,
        /// What a row looks like.
        row: Box<Widget>,
        /// How high a row is, in dp.
        #[serde(default = "usual_row")] row_height: u16,
        /// What happens when it was scrolled.
        #[serde(default)] on_scroll: Vec<Effect>,
        /// What happens when its end was reached.
        #[serde(default)] on_end: Vec<Effect>,
    }
    /// Cells beside and below each other, on the screen only.
    Grid {
        /// How many cells, or the list they show.
        items: Expression,
        /// How many stand beside each other.
        columns: u16,
        /// The name that a cell knows its item by; `NAME_index` is its number.
        #[serde(rename = "as", default = "item")] name: String,
        /// What a cell looks like.
        cell: Box<Widget>,
        /// How high a cell is, in dp.
        #[serde(default = "usual_cell")] row_height: u16,
        /// What happens when it was scrolled.
        #[serde(default)] on_scroll: Vec<Effect>,
    }
    /// Tabs above what the chosen one shows.
    Tabs {
        /// The tabs.
        tabs: Vec<Tab>,
        /// The name of the chosen one's number.
        bind: String,
    }
    /// Pages that are wiped from one to the next.
    Pager {
        /// The pages.
        pages: Vec<Widget>,
        /// The name of the current one's number.
        bind: String,
    }
    /// Widgets below each other on a card.
    Card {
        /// What is in it.
        children: Vec<Widget>,
        /// Its colour.
        color: Option<Template>,
    }
    /// Words.
    Text {
        /// What it says.
        text: Template,
        /// How large.
        #[serde(default)] size: TextSize,
        /// Whether in bold letters.
        #[serde(default)] bold: bool,
        /// Its colour.
        color: Option<Template>,
        /// Whether it is a heading.
        #[serde(default)] heading: bool,
        /// Where in its room.
        #[serde(default)] align: TextAlign,
        /// The space left and right of it, in dp.
        #[serde(default)] padding: u16,
        /// The most lines; words in one line get smaller before they are cut off.
        lines: Option<u16>,
    }
    /// A button.
    Button {
        /// The words on it.
        text: Template,
        /// What it looks like.
        #[serde(default)] style: ButtonStyle,
    }
    /// A small picture, often one to click.
    Icon {
        /// Which.
        name: Template,
        /// Its colour.
        color: Option<Template>,
        /// The colour of a disc behind it, as apps' icons have.
        disc: Option<Template>,
        /// The words below it, as on a home screen.
        label: Option<Template>,
    }
    /// A picture.
    Image {
        /// Its colour; there are no real pictures here.
        color: Option<Template>,
        /// The words in the middle of it.
        label: Option<Template>,
    }
    /// Something that is on or off.
    Switch {
        /// The words beside it.
        #[serde(default)] text: Template,
        /// The name that it shows and changes.
        bind: String,
        /// What happens when it was changed.
        #[serde(default)] on_change: Vec<Effect>,
    }
    /// A box to tick.
    Checkbox {
        /// The words beside it.
        #[serde(default)] text: Template,
        /// The name that it shows and changes.
        bind: String,
        /// What happens when it was changed.
        #[serde(default)] on_change: Vec<Effect>,
    }
    /// One of several choices.
    Radio {
        /// The words beside it.
        #[serde(default)] text: Template,
        /// The name that it sets.
        bind: String,
        /// What it sets it to.
        value: Template,
        /// What happens when it was changed.
        #[serde(default)] on_change: Vec<Effect>,
    }
    /// A place to write.
    Field {
        /// The name of what is written.
        bind: String,
        /// What an empty one asks for.
        hint: Option<Template>,
        /// What is written in it.
        #[serde(default)] kind: FieldKind,
        /// The most letters it takes.
        max: Option<u16>,
        /// Whether a tap selects all that is in it, as in the address of a browser.
        #[serde(default)] select_all: bool,
        /// What happens at each change.
        #[serde(default)] on_text: Vec<Effect>,
        /// What the enter key does.
        #[serde(default)] on_submit: Vec<Effect>,
    }
    /// A value to slide.
    Slider {
        /// The name that it shows and changes.
        bind: String,
        /// The least.
        #[serde(default)] min: i64,
        /// The most.
        #[serde(default = "hundred")] max: i64,
        /// What happens when it was changed.
        #[serde(default)] on_change: Vec<Effect>,
    }
    /// How far something is, or that it goes on.
    Progress {
        /// How far, in percent; it turns for ever if not given.
        value: Option<Expression>,
    }
    /// A page of the web.
    Web {
        /// The page's address.
        url: Template,
        /// Its title; its address if not given.
        title: Option<Template>,
        /// What the page shows; a line `[words](address)` is a link.
        #[serde(default)] text: Template,
        /// What a click on a link does; its address is `link`.
        #[serde(default)] on_link: Vec<Effect>,
    }
    /// A thin line.
    Divider {}
    /// Nothing, as high as it says.
    Space {}
}

fn item() -> String {
    "item".to_owned()
}

fn usual_row() -> u16 {
    64
}

fn usual_cell() -> u16 {
    104
}

fn hundred() -> i64 {
    100
}

/// One tab and what it shows.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tab {
    /// The word on it.
    pub label: Template,
    /// Its resource id.
    pub id: Option<Template>,
    /// What it shows.
    pub children: Vec<Widget>,
}

/// How large words are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TextSize {
    Tiny,
    Small,
    #[default]
    Body,
    Title,
    Headline,
    Display,
}

impl TextSize {
    /// In sp.
    pub fn sp(self) -> u16 {
        match self {
            Self::Tiny => 6,
            Self::Small => 14,
            Self::Body => 16,
            Self::Title => 20,
            Self::Headline => 26,
            Self::Display => 48,
        }
    }
}

/// Where words stand in their room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TextAlign {
    #[default]
    Start,
    Center,
    End,
}

/// What a button looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ButtonStyle {
    #[default]
    Filled,
    Tonal,
    Outlined,
    Text,
}

/// What is written in a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FieldKind {
    #[default]
    Text,
    Multiline,
    Password,
    Email,
    Number,
    Search,
}
