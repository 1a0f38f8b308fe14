//! Recipes: parsed, linted and compiled to executions. Pure: no files, no
//! clock, no environment.
