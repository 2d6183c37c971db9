/**
 * The beginning of a statement: `waiting` are the integrations with open deliveries. They are found by skipping through the index,
 * so the cost depends on the number of receivers, not on that of their deliveries. The last one is null, which joins nothing.
 */
export const withWaitingReceivers = `
  WITH RECURSIVE waiting AS (
    (SELECT integration_id FROM deliveries WHERE finished_at IS NULL ORDER BY integration_id LIMIT 1)
    UNION ALL
    SELECT (
      SELECT d.integration_id FROM deliveries d
      WHERE d.finished_at IS NULL AND d.integration_id > w.integration_id ORDER BY d.integration_id LIMIT 1
    )
    FROM waiting w WHERE w.integration_id IS NOT NULL
  )`;
