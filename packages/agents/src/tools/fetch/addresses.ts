import { BlockList, isIP, isIPv4 } from 'node:net';

/** IPv4 ranges that are not of the public network: loopback, private, link-local (cloud metadata), shared, tests, multicast … */
const NOT_PUBLIC_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
] as const;

/** Of IPv6 only 2000::/3 is public, and of that these are not: some of them carry an IPv4 address inside. */
const NOT_PUBLIC_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'] as const;

const blocked = listOf(NOT_PUBLIC_V4, 'ipv4');
const blockedV6 = listOf(NOT_PUBLIC_V6, 'ipv6');
const publicV6 = listOf(['2000::/3'], 'ipv6');

/** Whether an address is one of the public network. What is no address at all is not. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  if (isIPv4(address)) return !blocked.check(address, 'ipv4');
  return publicV6.check(address, 'ipv6') && !blockedV6.check(address, 'ipv6');
}

function listOf(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network, prefix] = range.split('/') as [string, string];
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}
