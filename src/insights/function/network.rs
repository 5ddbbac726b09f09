//! IP addresses and subnets.

use std::net::IpAddr;

use crate::insights::value::Value;

pub(super) fn is_valid(values: &[Value<'_>], four: bool, six: bool) -> Value<'static> {
    Value::Truth(address(&values[0], four, six).is_some())
}

/// `isIpInSubnet(address, "10.0.0.0/8")`.
pub(super) fn in_subnet(values: &[Value<'_>], four: bool, six: bool) -> Value<'static> {
    let inside = || {
        let address = address(&values[0], four, six)?;
        let subnet = values[1].show()?;
        let (network, length) = subnet.split_once('/')?;
        let network: IpAddr = network.parse().ok()?;
        let length: u32 = length.parse().ok()?;
        contains(network, length, address)
    };
    Value::Truth(inside().unwrap_or(false))
}

fn address(value: &Value<'_>, four: bool, six: bool) -> Option<IpAddr> {
    let address: IpAddr = value.show()?.parse().ok()?;
    let wanted = if address.is_ipv4() { four } else { six };
    wanted.then_some(address)
}

fn contains(network: IpAddr, length: u32, address: IpAddr) -> Option<bool> {
    let (network, address, bits) = match (network, address) {
        (IpAddr::V4(network), IpAddr::V4(address)) => (
            u128::from(network.to_bits()),
            u128::from(address.to_bits()),
            32,
        ),
        (IpAddr::V6(network), IpAddr::V6(address)) => (network.to_bits(), address.to_bits(), 128),
        _ => return Some(false),
    };
    let ignored = bits - Some(length).filter(|length| *length <= bits)?;
    let prefix = |address: u128| address.checked_shr(ignored).unwrap_or(0);
    Some(prefix(network) == prefix(address))
}
