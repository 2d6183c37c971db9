import type { SyntaxNode } from '@lezer/common' with { 'resolution-mode': 'import' };

export interface Selector {
  metric: string;
  matchers: { label: string; operator: string; value: string }[];
  /** Labels by which the selector's result is grouped. */
  groupedBy: string[];
}

export interface ReadExpression {
  /** Parts that the parser did not understand. */
  faults: string[];
  selectors: Selector[];
}

/** Parses with Prometheus' grammar, after filling in Grafana's variables. */
export async function readExpression(expression: string): Promise<ReadExpression> {
  const { parser } = await import('@prometheus-io/lezer-promql');
  const text = expression.replaceAll('$__rate_interval', '5m').replaceAll('"$route"', '".*"');
  const textOf = ({ from, to }: SyntaxNode): string => text.slice(from, to);
  const faults: string[] = [];
  const selectors: Selector[] = [];

  function visit(node: SyntaxNode, groupedBy: string[]): void {
    if (node.type.isError) faults.push(`${text} at ${node.from}`);
    let groups = groupedBy;
    if (node.name === 'AggregateExpr') {
      const labels = node.getChild('AggregateModifier')?.getChild('GroupingLabels')?.getChildren('LabelName') ?? [];
      groups = [...groupedBy, ...labels.map(textOf)];
    }
    if (node.name === 'VectorSelector') {
      const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
      selectors.push({
        metric: textOf(node.getChild('Identifier')!),
        matchers: matchers.map((matcher) => ({
          label: textOf(matcher.getChild('LabelName')!),
          operator: textOf(matcher.getChild('MatchOp')!),
          value: textOf(matcher.getChild('StringLiteral')!).slice(1, -1),
        })),
        groupedBy: groups,
      });
    }
    for (let child = node.firstChild; child !== null; child = child.nextSibling) visit(child, groups);
  }

  visit(parser.parse(text).topNode, []);
  return { faults, selectors };
}
