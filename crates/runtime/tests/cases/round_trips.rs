//! How many round trips each action takes on a phone where all goes well: a
//! number that must not grow unseen.
