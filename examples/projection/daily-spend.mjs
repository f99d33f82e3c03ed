// A custom read model built from the event log: what each account spent per model and day (docs/contributors/projections.md).
//   npx inferlog log export --follow --after "$(node examples/projection/daily-spend.mjs position)" |
//     node examples/projection/daily-spend.mjs build
//   node examples/projection/daily-spend.mjs show [--json]
// All commands take --file (daily-spend.sqlite). If `build` is killed, start both commands again: no event is lost or counted twice.
// `build --verify` checks that each event continues its stream. Use it from the first build on.
import { createHash } from "node:crypto"
import { DatabaseSync } from "node:sqlite"
import { parseArgs } from "node:util"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    file: { type: "string", default: "daily-spend.sqlite" },
    json: { type: "boolean", default: false },
    verify: { type: "boolean", default: false }
  }
})

const db = new DatabaseSync(values.file)
db.exec(`
  PRAGMA busy_timeout = 5000;
  PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS checkpoint (one INTEGER PRIMARY KEY CHECK (one = 1), position TEXT NOT NULL) STRICT;
  INSERT OR IGNORE INTO checkpoint VALUES (1, '0');
  CREATE TABLE IF NOT EXISTS open_requests (
    stream TEXT PRIMARY KEY, account TEXT NOT NULL, model TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS spend (
    day TEXT, account TEXT, model TEXT, requests INTEGER NOT NULL, nano_usd INTEGER NOT NULL,
    PRIMARY KEY (day, account, model)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS tails (
    stream TEXT PRIMARY KEY, ordinal INTEGER NOT NULL, hash TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`)

const position = () => db.prepare("SELECT position FROM checkpoint").get().position

// Positions are `<seq>` or `<seq>.<index>`. They sort neither as text nor as numbers.
const isAfter = (one, other) => {
  const [[seq, index = "0"], [otherSeq, otherIndex = "0"]] = [one.split("."), other.split(".")]
  return seq === otherSeq ? BigInt(index) > BigInt(otherIndex) : BigInt(seq) > BigInt(otherSeq)
}

const open = db.prepare("INSERT OR REPLACE INTO open_requests VALUES (?, ?, ?)")
const find = db.prepare("SELECT account, model FROM open_requests WHERE stream = ?")
const close = db.prepare("DELETE FROM open_requests WHERE stream = ?")
const charge = db.prepare(`
  INSERT INTO spend VALUES (?, ?, ?, 1, ?)
  ON CONFLICT DO UPDATE SET requests = requests + 1, nano_usd = nano_usd + excluded.nano_usd
`)
const tailOf = db.prepare("SELECT ordinal, hash FROM tails WHERE stream = ?")
const setTail = db.prepare("INSERT OR REPLACE INTO tails VALUES (?, ?, ?)")
const moveTo = db.prepare("UPDATE checkpoint SET position = ?")

const apply = ({ data, stream, time, type }) => {
  switch (type) {
    case "RequestSubmitted":
      return open.run(stream, data.accountId, data.model)
    case "RequestCompleted": {
      const request = find.get(stream)
      if (request === undefined)
        throw new Error(`the submit of ${stream} is missing: start with the whole log`)
      const { account, model } = request
      const day = new Date(time).toISOString().slice(0, 10)
      if (data.billing.status !== "failed") charge.run(day, account, model, BigInt(data.billing.amount))
      return close.run(stream)
    }
    case "RequestFailed":
    case "RequestForceFailed":
    case "RequestCancelled":
      return close.run(stream)
    // Ignores all other types, including those of later releases.
  }
}

const sha256 = (text) => createHash("sha256").update(text).digest("base64url")

const follow = ({ hash, id, ordinal, position, stream, time, type }, line) => {
  const before = tailOf.get(stream) ?? { ordinal: -1, hash: "" }
  const data = line.slice(line.indexOf(',"data":') + 8, -1) // the bytes that were hashed
  const expected = sha256(`${before.hash}\n${JSON.stringify([stream, ordinal, id, type, time])}${data}`)
  if (ordinal !== before.ordinal + 1 || hash !== expected) throw new Error(`broken at ${position}`)
  setTail.run(stream, ordinal, hash)
}

// Writes rows and checkpoint in one transaction.
const applyAll = (lines) => {
  db.exec("BEGIN IMMEDIATE")
  let reached = position()
  for (const line of lines) {
    const event = JSON.parse(line)
    if (!isAfter(event.position, reached)) continue // already applied
    if (values.verify) follow(event, line)
    apply(event)
    reached = event.position
  }
  moveTo.run(reached)
  db.exec("COMMIT")
}

const build = async () => {
  let rest = ""
  for await (const chunk of process.stdin.setEncoding("utf8")) {
    const lines = (rest + chunk).split("\n") // not `readline`, which also splits at U+2028
    rest = lines.pop() // an incomplete last line
    applyAll(lines)
  }
}

const usd = (nano) => `${nano / 1_000_000_000n}.${String(nano % 1_000_000_000n).padStart(9, "0")}`

const show = () => {
  const select = db.prepare(
    "SELECT day, account, model, requests, nano_usd FROM spend ORDER BY day, account, model"
  )
  select.setReadBigInts(true)
  const rows = select.all().map(({ nano_usd, requests, ...row }) => ({
    ...row,
    requests: Number(requests),
    usd: usd(nano_usd)
  }))
  const table = rows.map((row) => `${Object.values(row).join("\t")}\n`)
  process.stdout.write(values.json ? `${JSON.stringify({ position: position(), rows })}\n` : table.join(""))
}

const commands = { build, position: () => process.stdout.write(`${position()}\n`), show }
const command = commands[positionals[0] ?? "show"]
if (command === undefined) throw new Error("Expected build, position or show")
await command()
