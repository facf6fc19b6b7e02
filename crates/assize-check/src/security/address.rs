//! Addresses, as lock files, registries and submodules name them.

/// The address without its scheme and who logs in.
pub(super) fn place_of(source: &str) -> &str {
    let rest = source.split_once("://").map_or(source, |(_, rest)| rest);
    let end = rest.find('/').unwrap_or(rest.len());
    rest[..end].rfind('@').map_or(rest, |at| &rest[at + 1..])
}

/// The host of an address.
pub(super) fn host_of(source: &str) -> &str {
    let place = place_of(source);
    &place[..place.find(['/', ':', '?', '#']).unwrap_or(place.len())]
}

/// An address without name and password, which a message must not repeat.
pub(super) fn without_login(address: &str) -> String {
    match address.split_once("://") {
        Some((scheme, _)) => format!("{scheme}://{}", place_of(address)),
        None => address.to_owned(),
    }
}
