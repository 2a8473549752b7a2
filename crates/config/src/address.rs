//! Addresses that may hold a password.

use std::borrow::Cow;

/// The address as people may see it: stars in the place of a password.
pub fn without_password(address: &str) -> Cow<'_, str> {
    let Some((scheme, rest)) = address.split_once("://") else { return Cow::Borrowed(address) };
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (place, behind) = rest.split_at(end);
    let (who, host) = place.rsplit_once('@').unwrap_or(("", place));
    let user = who.split_once(':').map_or(who, |(user, _)| user);
    let hidden = who.contains(':') || behind.contains("password=");
    if !hidden {
        return Cow::Borrowed(address);
    }
    let behind = behind.split('?').next().unwrap_or_default();
    Cow::Owned(format!("{scheme}://{user}:***@{host}{behind}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tea_1_a_password_is_never_shown() {
        for (address, shown) in [
            ("postgres://me:secret@db/plimsoll", "postgres://me:***@db/plimsoll"),
            ("postgres://me:se:cr@et@db:5432/p?a=b", "postgres://me:***@db:5432/p"),
            ("postgres://db/p?user=me&password=secret", "postgres://:***@db/p"),
            ("postgres://me@db/p?sslmode=require", "postgres://me@db/p?sslmode=require"),
            ("", ""),
        ] {
            assert_eq!(without_password(address), shown);
        }
    }
}
