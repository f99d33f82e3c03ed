/** How received bytes become a file. */
import { describe, it } from "@effect/vitest"
import { aggregate } from "#domain/file/File.ts"
import type { State } from "#domain/file/State.ts"
import { accountOf, requestOf } from "#domain/file/State.ts"
import { given } from "#test/support/Scenario.ts"
import * as Phases from "#test/support/domain/file/Phases.ts"
import * as Story from "#test/support/domain/file/Story.ts"

const { bytes } = Story

/** What exists, since when, and until when. */
const present = (state: State) =>
  state._tag === "Present"
    ? { stored: state.stored, storedAt: state.storedAt, expiresAt: state.expiresAt }
    : state._tag

const madeBy = (state: State) => (state._tag === "Present" ? requestOf(state) : state._tag)

describe("An upload", () => {
  it("is awaited, then present with the arrived bytes", () => {
    given(aggregate)
      .when(Story.initiate())
      .expectEvents(Story.initiated())
      .expectView(present, "Pending")
      .expectView(accountOf, Story.accountId)
      .when(Story.complete(2_000))
      .expectEvents(Story.completed(2_000))
      .expectView(present, { stored: bytes.first, storedAt: 2_000, expiresAt: Story.expiresAt })
      .expectView(madeBy, null)
      .expectView(accountOf, Story.accountId)
  })

  it("keeps its first announcement", () => {
    const other = { ...Story.upload, at: 1_500, contentType: "text/plain" }
    given(aggregate, Phases.all.pending)
      .when(Story.initiate(other))
      .expectNothing()
      .expectView((state) => state._tag === "Pending" && state.upload, {
        _tag: "UploadInitiated",
        ...Story.upload
      })
  })

  it("records that its bytes are in parts", () => {
    given(aggregate, Phases.all["pending in parts"])
      .when(Story.complete(2_000, bytes.inParts))
      .expectEvents(Story.completed(2_000, bytes.inParts))
      .expectView(present, { stored: bytes.inParts, storedAt: 2_000, expiresAt: Story.expiresAt })
  })

  it("is unchanged if size and etag are equal, whether its hash is known or not", () => {
    for (const repeat of [Story.complete(3_000, bytes.unread), Story.observe(3_000, bytes.unread)]) {
      given(aggregate, Phases.all.uploaded)
        .when(repeat)
        .expectNothing()
        .expectView(present, { stored: bytes.first, storedAt: 2_000, expiresAt: Story.expiresAt })
    }
  })

  it("differs by its size or its etag alone", () => {
    for (const other of [bytes.others, bytes.longer]) {
      given(aggregate, Phases.all.uploaded)
        .when(Story.complete(3_000, other))
        .expectRejection("AlreadyUploaded")
        .expectView(present, { stored: bytes.first, storedAt: 2_000, expiresAt: Story.expiresAt })
      // Clients upload to the store directly, so it must be looked at.
      given(aggregate, Phases.all.uploaded)
        .when(Story.observe(3_000, other))
        .expectEvents(Story.replaced(3_000, other))
        .expectView(present, { stored: other, storedAt: 3_000, expiresAt: Story.expiresAt })
    }
  })

  it("never replaces an output, nor an output an upload", () => {
    for (const events of Object.values(Phases.outputs)) {
      given(aggregate, events).when(Story.initiate()).expectRejection("AlreadyUploaded")
    }
    for (const events of [...Object.values(Phases.awaited), ...Object.values(Phases.uploads)]) {
      given(aggregate, events).when(Story.store()).expectRejection("AlreadyUploaded")
    }
  })
})

describe("An output", () => {
  it("is present at once, with its request", () => {
    given(aggregate)
      .when(Story.store())
      .expectEvents(Story.outputStored())
      .expectView(present, { stored: bytes.first, storedAt: 1_000, expiresAt: 9_000 })
      .expectView(madeBy, Story.output.requestId)
      .expectView(accountOf, Story.accountId)
  })

  it("is replaced by other bytes of a repeated run, and not by equal ones", () => {
    const again = { ...Story.output, at: 2_000, expiresAt: 9_500 }
    given(aggregate, Phases.all.output)
      .when(Story.store(again))
      .expectNothing()
      .when(Story.store({ ...again, stored: bytes.others }))
      .expectEvents(Story.outputStored({ ...again, stored: bytes.others }))
      .expectView(present, { stored: bytes.others, storedAt: 2_000, expiresAt: 9_500 })
  })
})
