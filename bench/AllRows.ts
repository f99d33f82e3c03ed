/** Every row, in the order of docs/benchmarks.md. */
import type { Row } from "./harness/Subject.ts"
import * as T5BulkAppend from "./rows/log/T5BulkAppend.ts"
import * as T1Submit from "./rows/T1Submit.ts"
import * as T2EndToEnd from "./rows/T2EndToEnd.ts"
import * as T3Status from "./rows/T3Status.ts"
import * as T4Retrieve from "./rows/T4Retrieve.ts"

export const rows: ReadonlyArray<Row> = [
  ...T1Submit.rows,
  T2EndToEnd.row,
  ...T3Status.rows,
  T4Retrieve.row,
  T5BulkAppend.row
]

/** Those that a word names: an id, or a word of a title. In any case of letters. */
export const named = (word: string): ReadonlyArray<Row> => {
  const wanted = word.toLowerCase()
  return rows.filter(
    ({ id, title }) => id.toLowerCase() === wanted || title.toLowerCase().split(/\W+/).includes(wanted)
  )
}
