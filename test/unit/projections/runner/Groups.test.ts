import { assert, describe, it } from "@effect/vitest"
import type { Array } from "effect"
import * as Checkpoints from "#projections/runner/Checkpoints.ts"
import type { Apply, Group } from "#projections/runner/Group.ts"
import * as Groups from "#projections/runner/Groups.ts"
import { trustedVersion } from "#streams/ExpectedVersion.ts"
import { trusted } from "#streams/GlobalPosition.ts"
import { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"

const event = (position: number) =>
  new RecordedEvent({
    position: trusted(String(position)),
    stream: StreamName.make("Thing", "a"),
    ordinal: position - 1,
    version: trustedVersion(String(position - 1)),
    id: `e${position}`,
    type: "Happened",
    time: 0,
    text: "{}",
    hash: `h${position}`
  })

const events = (from: number, to: number): Array.NonEmptyReadonlyArray<RecordedEvent> => [
  event(from),
  ...globalThis.Array.from({ length: to - from }, (_, index) => event(from + 1 + index))
]

const group = (name: string, position: number): Group => ({
  members: [{ name, rules: new Map(), buffers: [] }],
  checkpoint: { ...Checkpoints.start, position: trusted(String(position)) }
})

/** Moves the group on without a database. */
const apply: Apply = (group, applied, reached) => {
  const position = applied.at(-1)?.position
  if (reached !== undefined) group.checkpoint = reached
  else if (position !== undefined) group.checkpoint = { ...group.checkpoint, position }
  return []
}

const names = ({ members }: Group) => members.map(({ name }) => name)

describe("Groups", () => {
  it("let a lagging one stop at the nearest one ahead and join it", () => {
    const [late, near, far] = [group("late", 0), group("near", 9), group("far", 10)]
    const groups = Groups.make([far, late, near], apply)
    const first = groups.advance(late, events(1, 5))
    assert.deepInclude(first, { continues: true })
    assert.strictEqual(late.checkpoint.position, "5")
    const second = groups.advance(late, events(6, 12))
    assert.deepInclude(second, { continues: false })
    assert.strictEqual(second.checkpoint.position, "9")
    assert.deepStrictEqual(names(near), ["near", "late"])
    assert.deepStrictEqual(names(far), ["far"])
  })

  it("stand where the joined one stands, even if the reader left out its event", () => {
    const [late, near] = [group("late", 0), group("near", 9)]
    const groups = Groups.make([late, near], apply)
    const { checkpoint, continues } = groups.advance(late, [event(3), event(11), event(12)])
    assert.isFalse(continues)
    assert.strictEqual(checkpoint, near.checkpoint)
  })

  it("let none join a group that has joined another", () => {
    const [late, near, far] = [group("late", 0), group("near", 5), group("far", 10)]
    const groups = Groups.make([late, near, far], apply)
    groups.advance(near, events(6, 12))
    groups.advance(far, events(11, 20))
    assert.isTrue(groups.advance(late, events(1, 12)).continues)
    assert.isFalse(groups.advance(late, events(13, 30)).continues)
    assert.deepStrictEqual(names(far), ["far", "near", "late"])
  })
})
