// Without characters that look alike when read aloud or copied by hand.
const alphabet = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const LENGTH = 20;

export function generatePassword(): string {
  const chosen: string[] = [];
  while (chosen.length < LENGTH) {
    const [byte = 0] = crypto.getRandomValues(new Uint8Array(1));
    // Bytes beyond the largest multiple would make the first letters more likely.
    if (byte < 256 - (256 % alphabet.length)) chosen.push(alphabet[byte % alphabet.length]!);
  }
  return chosen.join('');
}
