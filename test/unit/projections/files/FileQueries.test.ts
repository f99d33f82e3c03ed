/** The cost of a statement does not depend on the number of files. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Statement } from "effect/sql/Statement"
import * as Queries from "#projections/files/FileQueries.ts"
import type { Filter } from "#projections/files/FileFilter.ts"
import { ReadModels } from "#projections/ReadModels.ts"
import { stepsOf } from "#test/support/projections/QueryPlan.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import { alice, requestId, t0 } from "#test/support/projections/RequestLog.ts"

const test = (name: string, body: Effect.Effect<void, unknown, ReadSide.Services>) =>
  it.live(name, () => Effect.provide(body, ReadSide.layer))

const place = { createdAt: t0, fileId: "file" }

const keys: ReadonlyArray<readonly [index: string, key: string, filter: Partial<Filter>]> = [
  ["files_by_list", "account_id=? AND source=?", {}],
  ["files_by_essence", "account_id=? AND source=? AND essence=?", { contentType: "image/png" }],
  ["files_by_kind", "account_id=? AND source=? AND kind=?", { contentType: "image/*" }],
  ["files_by_purpose", "account_id=? AND source=? AND purpose=?", { purpose: "batch" }],
  ["files_by_list", "account_id=? AND source=?", { order: "asc" }],
  ["files_by_purpose", "account_id=? AND source=? AND purpose=?", { purpose: "batch", order: "asc" }]
]
const paged = keys.flatMap(([index, key, filter]) => [
  { index, key, filter, sources: 2 },
  { index, key, filter: { ...filter, source: "output" } as const, sources: 1 }
])

describe("The queries of Files", () => {
  for (const { filter, index, key, sources } of paged) {
    for (const after of [null, place]) {
      const name = `${Object.keys(filter).join(" and ") || "nothing"}${after === null ? "" : ", behind a place"}`
      test(
        `reach a distant page using only entries of ${index}, filtered by ${name}`,
        Effect.gen(function* () {
          const sql = yield* ReadModels
          const part = { after, offset: 1_000, limit: 20 }
          const steps = yield* stepsOf(Queries.pageOf(sql, { accountId: alice, ...filter }, part))
          const behind =
            after === null ? "" : ` AND (created_at,file_id)${filter.order === "asc" ? ">" : "<"}(?,?)`
          assert.deepStrictEqual(
            steps.filter((step) => step.includes("INDEX")),
            Array.from(
              { length: sources },
              () => `SEARCH files_files USING COVERING INDEX ${index} (${key}${behind})`
            )
          )
          assert.isFalse(steps.some((step) => step.startsWith("SCAN files")))
          // Sorts only the rows of the page.
          assert.lengthOf(
            steps.filter((step) => step.includes("TEMP B-TREE")),
            1
          )
          assert.include(steps.at(-1), "TEMP B-TREE")
        })
      )
    }
  }

  test(
    "sum the counters of an account that match the filter, and count the rows of a request",
    Effect.gen(function* () {
      const sql = yield* ReadModels
      const counted = (filter: Partial<Filter>) =>
        stepsOf(Queries.sumCounters(sql, { accountId: alice, ...filter }))
      const byKey = (key: string) => [
        `SEARCH files_counters USING PRIMARY KEY (account_id=? AND source=?${key})`
      ]
      assert.deepStrictEqual(yield* counted({}), byKey(""))
      assert.deepStrictEqual(yield* counted({ source: "upload" }), byKey(""))
      assert.deepStrictEqual(yield* counted({ contentType: "image/*" }), byKey(" AND kind=?"))
      assert.deepStrictEqual(yield* counted({ contentType: "image/png" }), byKey(" AND kind=? AND essence=?"))
      const filter = { accountId: alice, requestId: requestId(1), contentType: "image/*" }
      const ofRequest = "SEARCH files_files USING INDEX files_by_request (request_id=?"
      assert.deepStrictEqual(yield* stepsOf(Queries.countOfRequest(sql, filter)), [`${ofRequest})`])
      const page = { after: place, offset: 0, limit: 5 }
      assert.deepStrictEqual(yield* stepsOf(Queries.ofRequest(sql, filter, page)), [
        `${ofRequest} AND (created_at,file_id)<(?,?))`
      ])
    })
  )

  const ids = { after: "file", limit: 20 }
  const walks: ReadonlyArray<readonly [string, (sql: ReadModels["Service"]) => Statement<unknown>]> = [
    ["files_removals USING PRIMARY KEY (file_id>?)", (sql) => Queries.removals(sql, ids)],
    [
      "files_files USING COVERING INDEX files_of_account (account_id=? AND file_id>?)",
      (sql) => Queries.ofAccount(sql, { ...ids, accountId: alice })
    ]
  ]
  for (const [walk, query] of walks) {
    test(
      `read ${walk} without sorting`,
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* stepsOf(query(yield* ReadModels)), [`SEARCH ${walk}`])
      })
    )
  }

  test(
    "read one counter for an account's bytes, and only index entries for its pending files",
    Effect.gen(function* () {
      const sql = yield* ReadModels
      const steps = yield* stepsOf(Queries.bytesOf(sql, alice, { singlesSince: t0 }))
      const pending = "SEARCH files_files USING COVERING INDEX files_pending"
      assert.deepStrictEqual(
        steps.filter((step) => step.includes("files_")),
        [
          "SEARCH files_bytes USING PRIMARY KEY (account_id=?)",
          `${pending} (account_id=? AND is_single=?)`,
          `${pending} (account_id=? AND is_single=? AND created_at>?)`
        ]
      )
      assert.isFalse(steps.some((step) => step.includes("TEMP B-TREE")))
    })
  )

  test(
    "read only the index entries of uploads that were announced in the time range",
    Effect.gen(function* () {
      const sql = yield* ReadModels
      const time = { announcedAfter: t0, announcedBy: t0 + 1 }
      assert.deepStrictEqual(yield* stepsOf(Queries.singles(sql, { ...ids, ...time })), [
        "SEARCH files_files USING COVERING INDEX files_singles (created_at>? AND created_at<?)",
        "USE TEMP B-TREE FOR ORDER BY"
      ])
    })
  )

  test(
    "read only index entries for expired files, and nothing for others",
    Effect.gen(function* () {
      const sql = yield* ReadModels
      assert.deepStrictEqual(yield* stepsOf(Queries.expired(sql, { ...ids, now: t0 })), [
        "SEARCH files_files USING COVERING INDEX files_by_time (expires_at<?)",
        "USE TEMP B-TREE FOR ORDER BY"
      ])
    })
  )
})
