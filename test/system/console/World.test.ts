/** @together test/support/console/Shared.ts */
import { Schema } from "effect"
import { assert } from "vitest"
import { caller, decode } from "#test/support/console/Calls.ts"
import { consoleTest } from "#test/support/console/ConsoleTest.ts"
import * as FakeTime from "#test/support/FakeTime.ts"

const Named = Schema.Struct({ status: Schema.String })
const Request = decode(Named)
const Deliveries = decode(Schema.Struct({ data: Schema.Array(Named) }))
const Usage = decode(Schema.Struct({ data: Schema.Array(Schema.Struct({ bucket: Schema.String })) }))

consoleTest(
  "tests have requests and deliveries of each kind, and usage of several days",
  async ({ world }) => {
    const ada = caller(world.origin, world.keys.ada)
    const requests = Object.values(world.requests).map((id) => ada("GET", `/requests/${id}`).then(Request))
    assert.sameMembers(
      [...new Set((await Promise.all(requests)).map(({ status }) => status))],
      ["IN_QUEUE", "IN_PROGRESS", "COMPLETED", "FAILED", "CANCELLED"]
    )
    const { data: deliveries } = Deliveries(await ada("GET", "/webhooks/deliveries"))
    assert.includeMembers([...new Set(deliveries.map(({ status }) => status))], ["delivered", "pending"])
    const { data: usage } = Usage(await ada("GET", "/usage"))
    const days = new Set(usage.map(({ bucket }) => bucket))
    assert.isAtLeast(days.size, FakeTime.library === undefined ? 1 : 5)
  }
)
