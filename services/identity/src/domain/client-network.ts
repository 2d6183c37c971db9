/** Counts an IPv6 /64 as one network: a household has a whole /64, so that counting single addresses would be no limit. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !address.includes(':')) {
    return mapped ?? address;
  }
  const [before, after] = address.toLowerCase().replace(/%.*$/, '').split('::').map(groupsOf);
  const zeros = after === undefined ? 0 : Math.max(0, 8 - before!.length - after.length);
  const groups = [...before!, ...Array<number>(zeros).fill(0), ...(after ?? [])];
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** An IPv4 address at the end stands for two groups; their value does not matter, because they are outside the /64. */
const groupsOf = (text: string): number[] =>
  text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? [0, 0] : [parseInt(group, 16)]));
