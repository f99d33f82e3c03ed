/** The floor of history pages: twenty consecutive rows by a known key. Arguments: the file, number of requests. */
import process from "node:process"
import { DatabaseSync } from "node:sqlite"
import * as Work from "../../rows/log/Work.ts"

const [, , filename = "", requests] = process.argv

const db = new DatabaseSync(filename, { readOnly: true })
const keyAt = db.prepare("SELECT request_id FROM history_requests ORDER BY request_id LIMIT 1 OFFSET ?")
const rows = db.prepare("SELECT * FROM history_requests WHERE request_id >= ? ORDER BY request_id LIMIT 20")

/** Computed once, because the floor may know where pages begin. */
const keys = Array.from({ length: 200 }, (_, index) =>
  String(keyAt.get(Math.floor((index / 200) * (Number(requests) - 20)))?.["request_id"])
)

let turn = 0
const one = async () => rows.all(keys[++turn % keys.length] ?? "")

Work.serve((seconds) => Work.repeated({ inFlight: 1, seconds }, one))
