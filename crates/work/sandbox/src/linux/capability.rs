//! The special rights of root: kept while the namespaces are set up, and then given up for good.

use rustix::thread::{
    CapabilitiesSecureBits, CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set,
    configure_capability_in_ambient_set, remove_capability_from_bounding_set, set_capabilities,
    set_capabilities_secure_bits, set_no_new_privs,
};
use std::io;

/// Lets the program that this process becomes keep the rights in its user namespace.
pub(super) fn keep_over_exec() -> io::Result<()> {
    let has = capabilities(None)?;
    let inheritable = CapabilitySets { inheritable: has.permitted, ..has };
    set_capabilities(None, inheritable)?;
    for one in has.permitted.iter() {
        configure_capability_in_ambient_set(one, true)?;
    }
    Ok(())
}

/// Gives up all capabilities, and the ways to get new ones.
pub(super) fn drop_all() -> io::Result<()> {
    // Only a process that has rights can and must do this; the rest holds anyway.
    let bits = CapabilitiesSecureBits::NO_ROOT
        | CapabilitiesSecureBits::NO_ROOT_LOCKED
        | CapabilitiesSecureBits::NO_SETUID_FIXUP
        | CapabilitiesSecureBits::NO_SETUID_FIXUP_LOCKED
        | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE
        | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE_LOCKED;
    let _ = set_capabilities_secure_bits(bits);
    let _ = clear_ambient_capability_set();
    for number in 0..u64::BITS {
        let one = CapabilitySet::from_bits_retain(1 << number);
        // The kernel knows fewer than there are bits.
        let _ = remove_capability_from_bounding_set(one);
    }
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?;
    Ok(set_no_new_privs(true)?)
}
