/**
 * Fills a file of read models with the history of one account, as the projection writes it. Arguments: the file, and the number
 * of requests.
 */
import process from "node:process"
import { DatabaseSync } from "node:sqlite"
import { codec } from "#domain/inference-request/Event.ts"
import { projection } from "#projections/history/HistoryProjection.ts"
import * as HistoryEvents from "./HistoryEvents.ts"

/** Events per transaction. */
const batch = 10_000

const [filename = "", requests] = process.argv.slice(2)

const db = new DatabaseSync(filename)
db.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -262144")
db.exec(projection.tables)
const { buffers = [], rules } = projection.open(db)
const applies = new Map(rules.map(({ apply, type }) => [type, apply]))

const commit = () => {
  for (const { write } of buffers) write()
  db.exec("COMMIT")
}

db.exec("BEGIN")
let events = 0
for (const event of HistoryEvents.of(Number(requests), codec)) {
  applies.get(event.type)?.(event)
  if (++events % batch > 0) continue
  commit()
  db.exec("BEGIN")
}
commit()
db.exec("PRAGMA journal_mode = WAL")
db.close()
