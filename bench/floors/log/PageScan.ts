/** The floor of T6, replay: reads the log page by page and parses the data of every event. */
import process from "node:process"
import { DatabaseSync } from "node:sqlite"
import * as Work from "../../rows/log/Work.ts"

const pageSize = 512

const db = new DatabaseSync(String(process.argv[2]), { readOnly: true })
const page = db.prepare(`SELECT position, stream, ordinal, id, type, time, data, hash FROM events
  WHERE position > ? ORDER BY position LIMIT ${pageSize}`)
page.setReturnArrays(true)

const scan = () => {
  let events = 0
  let position = 0
  for (;;) {
    const rows = page.all(position) as unknown as ReadonlyArray<ReadonlyArray<unknown>>
    for (const row of rows) JSON.parse(String(row[6]))
    events += rows.length
    position = Number(rows.at(-1)?.[0])
    if (rows.length < pageSize) return events
  }
}

Work.serve(() => Work.timed(scan))
