/** T3: status polls, without and with a current ETag. */
import * as RequestText from "../harness/RequestText.ts"
import type { Row } from "../harness/Subject.ts"
import * as Inferlog from "../subjects/Inferlog.ts"
import * as Straight from "../subjects/Straight.ts"
import * as ReadRow from "./ReadRow.ts"

const pathOf = (id: string) => `/sandbox/echo/requests/${id}/status`

const row = (title: string, read: ReadRow.Read, target: number): Row => ({
  id: "T3",
  title,
  unit: "requests",
  subjects: [ReadRow.ours(read), ReadRow.straight(read)],
  targets: { [Straight.name]: target }
})

const poll: ReadRow.Read = {
  request: ({ id }) => RequestText.get(pathOf(id), Inferlog.authorization),
  status: 200
}

const conditionalPoll: ReadRow.Read = {
  request: ({ etag, id }) =>
    RequestText.get(pathOf(id), { ...Inferlog.authorization, "if-none-match": etag }),
  status: 304
}

export const rows: ReadonlyArray<Row> = [
  row("Status poll", poll, 0.85),
  row("Status poll, 304 by ETag", conditionalPoll, 0.85)
]
