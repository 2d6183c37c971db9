import { Card, CardHead } from '../../../components/ui/card';
import { m } from '../../../paraglide/messages';
import { Definition, DefinitionList } from './definition-list';

export function MetadataCard({ metadata }: { metadata: Readonly<Record<string, unknown>> }) {
  const entries = Object.entries(metadata);
  return (
    <Card>
      <CardHead title={m.calls_metadata()} />
      {entries.length === 0 ? (
        <p className="text-sm text-soft">{m.calls_metadata_none()}</p>
      ) : (
        <DefinitionList>
          {entries.map(([key, value]) => (
            <Definition key={key} name={<span className="block max-w-32 [overflow-wrap:anywhere]">{key}</span>}>
              <span className="font-mono text-xs whitespace-pre-wrap">{textOf(value)}</span>
            </Definition>
          ))}
        </DefinitionList>
      )}
    </Card>
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
