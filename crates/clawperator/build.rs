//! How the program is linked.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |key: &str| std::env::var(format!("CARGO_CFG_TARGET_{key}")).unwrap_or_default();
    // The loader of a position-independent program rewrites every page of its
    // tables before `main`: a third of the time of a short command. Libraries,
    // heap and stack still have random addresses. See docs/adr/0012.
    if target("OS") == "linux" && target("ENV") == "gnu" {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
