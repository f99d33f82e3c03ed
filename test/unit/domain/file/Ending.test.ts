/** The end of a file: it is deleted or expires, and loses its bytes. */
import { describe, it } from "@effect/vitest"
import { DeletionReason } from "#domain/file/Event.ts"
import { aggregate, isOver } from "#domain/file/File.ts"
import type { State } from "#domain/file/State.ts"
import { given } from "#test/support/Scenario.ts"
import * as Phases from "#test/support/domain/file/Phases.ts"
import * as Story from "#test/support/domain/file/Story.ts"

/** The remaining facts about a file that is gone. */
const gone = (state: State) =>
  state._tag === "Gone"
    ? { accountId: state.accountId, uploadId: state.uploadId, isRemoved: state.isRemoved }
    : state._tag

const ofAccount = { accountId: Story.accountId, uploadId: null, isRemoved: false }

describe("Deleting a file", () => {
  for (const reason of DeletionReason.literals) {
    it(`erases the client's name of the file and records the reason: ${reason}`, () => {
      for (const events of [...Object.values(Phases.awaited), ...Object.values(Phases.uploads)]) {
        given(aggregate, events)
          .when(Story.remove(4_000, reason))
          .expectEvents(Story.deleted(4_000, reason), Story.nameErased(4_000))
      }
      for (const events of Object.values(Phases.outputs)) {
        given(aggregate, events)
          .when(Story.remove(4_000, reason))
          .expectEvents(Story.deleted(4_000, reason))
          .expectView(gone, ofAccount)
      }
    })
  }

  it("keeps its owner, and the upload whose parts may remain", () => {
    given(aggregate, Phases.all.uploaded).when(Story.remove(4_000)).expectView(gone, ofAccount)
    for (const phase of ["pending in parts", "uploaded in parts"] as const) {
      given(aggregate, Phases.all[phase])
        .when(Story.remove(4_000))
        .expectView(gone, { ...ofAccount, uploadId: Story.uploadId })
        .when(Story.recordRemoved(4_500))
        .expectEvents(Story.bytesRemoved(4_500))
        .expectView(gone, { ...ofAccount, uploadId: Story.uploadId, isRemoved: true })
    }
  })

  it("of a missing file prevents its creation", () => {
    const deleted = given(aggregate).when(Story.remove(1_000, "discarded"))
    deleted
      .expectEvents(Story.deleted(1_000, "discarded"))
      .expectView(gone, { ...ofAccount, accountId: null })
      .when(Story.store())
      .expectRejection("FileGone")
    deleted.when(Story.initiate()).expectRejection("FileGone")
  })
})

describe("A file's time", () => {
  it("ends exactly at its ms; while the upload is awaited, at that of the upload", () => {
    for (const events of Object.values(Phases.awaited)) {
      const pending = given(aggregate, events)
      pending.expectView((state) => isOver(state, 4_999), false)
      pending.when(Story.expire(4_999)).expectNothing()
      pending.expectView((state) => isOver(state, 5_000), true)
      pending.when(Story.expire(5_000)).expectEvents(Story.expired(5_000), Story.nameErased(5_000))
    }
    for (const events of Object.values(Phases.uploads)) {
      const uploaded = given(aggregate, events)
      uploaded.expectView((state) => isOver(state, 8_999), false)
      uploaded.when(Story.expire(8_999)).expectNothing()
      uploaded.expectView((state) => isOver(state, 9_000), true)
      uploaded.when(Story.expire(9_000)).expectEvents(Story.expired(9_000), Story.nameErased(9_000))
    }
    for (const events of Object.values(Phases.outputs)) {
      given(aggregate, events).when(Story.expire(8_999)).expectNothing()
      given(aggregate, events).when(Story.expire(9_000)).expectEvents(Story.expired(9_000))
    }
  })

  it("never ends for a file that does not exist or is gone", () => {
    for (const events of [[], ...Object.values(Phases.gone)]) {
      given(aggregate, events).expectView((state) => isOver(state, 1_000_000), false)
    }
  })
})

describe("Bytes", () => {
  it("are removed only after the end, and that is recorded once", () => {
    for (const events of [
      ...Object.values(Phases.awaited),
      ...Object.values(Phases.uploads),
      ...Object.values(Phases.outputs)
    ]) {
      given(aggregate, events).when(Story.recordRemoved(9_500)).expectNothing()
    }
    for (const events of Object.values(Phases.gone)) {
      given(aggregate, events)
        .when(Story.recordRemoved(9_500))
        .expectEvents(Story.bytesRemoved(9_500))
        .when(Story.recordRemoved(9_501))
        .expectNothing()
    }
  })
})
