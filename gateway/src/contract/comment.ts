/**
 * The comment above a message, field, enum or rpc as a text for API users: its lines flow together, an empty line begins a paragraph and
 * "- " an item of a list.
 */
export function commentOf({ comment }: { comment: string | null }): string {
  return textOf(comment);
}

export const textOf = (comment: string | null | undefined): string =>
  (comment ?? '')
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replace(/(?<!\n)\n(?!\n|- )/g, ' ')
    .trim();
