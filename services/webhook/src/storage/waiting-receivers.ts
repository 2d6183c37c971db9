/**
 * The beginning of a statement: `waiting` are the integrations with open deliveries. They are found by skipping through the index,
 * so the cost depends on the number of receivers, not on that of their deliveries. The last one is null, which joins nothing.
 */
export const withWaitingReceivers = `
  WITH RECURSIVE waiting AS (
    (SELECT integration_id FROM delivery_queue ORDER BY integration_id LIMIT 1)
    UNION ALL
    SELECT (
      SELECT q.integration_id FROM delivery_queue q
      WHERE q.integration_id > w.integration_id ORDER BY q.integration_id LIMIT 1
    )
    FROM waiting w WHERE w.integration_id IS NOT NULL
  )`;
