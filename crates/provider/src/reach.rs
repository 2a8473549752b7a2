//! Which addresses a provider may have (UI-19): link-local ones and those of metadata services
//! never, and those of private networks only where somebody who owns the machine said so.
//!
//! A name is looked at when it is resolved for a connection, so that one that leads elsewhere
//! later is refused then. Behind a proxy of the environment, the proxy resolves names.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
};

use reqwest::{
    Url,
    dns::{Addrs, Name, Resolve, Resolving},
};

/// How far calls may go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// To this machine and to private networks too.
    #[default]
    Anywhere,
    /// To public addresses alone.
    Public,
}

/// Why an address is not asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotReached {
    #[error("{0} is a link-local address or a metadata service, which is never asked")]
    Never(IpAddr),
    #[error(
        "{0} is an address of this machine or of a private network; a server that others use \
         asks it only if the setting allowedServers names it"
    )]
    Private(IpAddr),
}

impl Reach {
    /// Whether an address may be asked.
    pub fn check(self, address: IpAddr) -> Result<(), NotReached> {
        let plain = plain(address);
        if is_never_asked(plain) {
            return Err(NotReached::Never(address));
        }
        match self {
            Self::Public if is_private(plain) => Err(NotReached::Private(address)),
            _ => Ok(()),
        }
    }

    /// The same for the address that stands in a URL; a name is looked at when it is resolved.
    pub(crate) fn check_url(self, url: &Url) -> Result<(), NotReached> {
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        match host.parse() {
            Ok(address) => self.check(address),
            Err(_) => Ok(()),
        }
    }
}

/// An IPv4 address that is written as an IPv6 one, in any of the ways that lead to it.
fn plain(address: IpAddr) -> IpAddr {
    let IpAddr::V6(six) = address else { return address };
    let [a, b, c, d, e, f, g, h] = six.segments();
    let four = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        IpAddr::V4(Ipv4Addr::new(a, b, c, d))
    };
    match (a, b, c, d, e, f) {
        // Mapped, compatible, and translated by NAT64; ::1 and :: are addresses of their own.
        (0, 0, 0, 0, 0, 0xffff) | (0x64, 0xff9b, 0, 0, 0, 0) => four(g, h),
        (0, 0, 0, 0, 0, 0) if g != 0 => four(g, h),
        // 6to4.
        (0x2002, high, low, ..) => four(high, low),
        _ => address,
    }
}

/// Clouds answer their metadata, keys among it, at addresses that are not link-local as well.
const METADATA: [IpAddr; 4] = [
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V4(Ipv4Addr::new(192, 0, 0, 192)),
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
];

fn is_never_asked(address: IpAddr) -> bool {
    let local = match address {
        IpAddr::V4(four) => four.is_link_local() || four.is_broadcast() || four.is_multicast(),
        IpAddr::V6(six) => six.is_unicast_link_local() || six.is_multicast(),
    };
    local || METADATA.contains(&address)
}

fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(four) => {
            let [a, b, c, _] = four.octets();
            let shared = a == 100 && (64..128).contains(&b);
            let special = (a == 192 && b == 0 && c == 0) || (a == 198 && (b & 0xfe) == 18);
            let reserved = a == 0 || a >= 240;
            four.is_private() || four.is_loopback() || shared || special || reserved
        }
        IpAddr::V6(six) => {
            // Site-local addresses are no longer given out, and still routed in places.
            let site_local = six.segments()[0] & 0xffc0 == 0xfec0;
            six.is_unique_local() || six.is_loopback() || six.is_unspecified() || site_local
        }
    }
}

/// Resolves names as the machine does, and leaves out what may not be asked.
#[derive(Debug)]
pub(crate) struct Guarded(pub(crate) Reach);

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = self.0;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let (mut good, mut refused): (Vec<SocketAddr>, _) = (Vec::new(), None);
            for address in found {
                match reach.check(address.ip()) {
                    Ok(()) => good.push(address),
                    Err(why) => refused = Some(why),
                }
            }
            match refused {
                Some(why) if good.is_empty() => Err(why.into()),
                _ => Ok(Box::new(good.into_iter()) as Addrs),
            }
        })
    }
}

/// What resolves names for calls that go so far.
pub(crate) fn resolver(reach: Reach) -> Arc<Guarded> {
    Arc::new(Guarded(reach))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(reach: Reach, address: &str) -> &'static str {
        match reach.check(address.parse().unwrap()) {
            Ok(()) => "asked",
            Err(NotReached::Never(_)) => "never",
            Err(NotReached::Private(_)) => "private",
        }
    }

    #[test]
    fn ui_19_link_local_and_metadata_addresses_are_never_reached() {
        for address in [
            "169.254.169.254",
            "169.254.0.1",
            "fe80::1",
            "febf::1",
            "::ffff:169.254.169.254",
            "::a9fe:a9fe",
            "64:ff9b::169.254.169.254",
            "2002:a9fe:a9fe::1",
            "100.100.100.200",
            "192.0.0.192",
            "168.63.129.16",
            "fd00:ec2::254",
            "224.0.0.1",
            "ff02::1",
            "255.255.255.255",
        ] {
            for reach in [Reach::Anywhere, Reach::Public] {
                assert_eq!(check(reach, address), "never", "{address}");
            }
        }
    }

    #[test]
    fn ui_19_private_ranges_are_for_who_owns_the_machine() {
        for address in [
            "127.0.0.1",
            "127.8.9.1",
            "10.1.2.3",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.5",
            "100.64.0.1",
            "100.127.255.255",
            "192.0.0.8",
            "198.18.0.1",
            "0.0.0.0",
            "240.0.0.1",
            "::1",
            "::",
            "fc00::1",
            "fd12:3456::1",
            "fec0::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "2002:7f00:1::1",
        ] {
            assert_eq!(check(Reach::Anywhere, address), "asked", "{address}");
            assert_eq!(check(Reach::Public, address), "private", "{address}");
        }
        for address in ["8.8.8.8", "172.32.0.1", "100.128.0.1", "192.0.2.1", "2606:4700::1111"] {
            assert_eq!(check(Reach::Public, address), "asked", "{address}");
        }
    }

    #[test]
    fn ui_19_an_address_in_a_url_is_looked_at_however_it_is_written() {
        for url in [
            "http://169.254.169.254/latest",
            "http://0xa9fea9fe/",
            "http://2852039166/",
            "http://[fe80::1]/",
            "http://[::ffff:a9fe:a9fe]/",
            "http://0251.0376.0251.0376/",
        ] {
            let refused = Reach::Anywhere.check_url(&Url::parse(url).unwrap());
            assert!(matches!(refused, Err(NotReached::Never(_))), "{url}");
        }
        let public = Reach::Public.check_url(&Url::parse("http://localhost/").unwrap());
        assert_eq!(public, Ok(()), "a name is looked at when it is resolved");
    }

    #[tokio::test]
    async fn ui_19_a_name_is_looked_at_when_it_is_resolved() {
        let name = || "localhost".parse::<Name>().unwrap();
        assert!(Guarded(Reach::Anywhere).resolve(name()).await.is_ok());
        let refused = Guarded(Reach::Public).resolve(name()).await.err().unwrap();
        assert!(refused.to_string().contains("allowedServers"), "{refused}");
    }
}
