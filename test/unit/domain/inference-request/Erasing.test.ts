/** Erasing a request's payloads (architecture, "Payloads are not events"). */
import { assert, describe, it } from "@effect/vitest"
import * as Erasing from "#domain/inference-request/Erasing.ts"
import type { Event, StoredMedia } from "#domain/inference-request/Event.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { isTerminal } from "#domain/inference-request/State.ts"
import { inlineLimit } from "#domain/PayloadRef.ts"
import { given } from "#test/support/Scenario.ts"
import * as Phases from "#test/support/domain/inference-request/Phases.ts"
import * as Story from "#test/support/domain/inference-request/Story.ts"

const { aggregate } = InferenceRequest

const erase = { _tag: "Erase", at: 9_000, reason: "requested" } as const
const removed = { _tag: "RecordRemoved", at: 9_500 } as const
const all = ["input", "output", "result"]

const hasFiles = Story.ofRequest(({ erasure }) => erasure?.hasFiles)
const files = Story.ofRequest(Erasing.filesOf)

const { erased: _, ...notErased } = Phases.terminal

/** A completed request with an input and an output of these sizes, in bytes. */
const ofSizes = (input: number, output: number): ReadonlyArray<Event> => [
  { _tag: "RequestSubmitted", ...Story.request, payloads: { input: { hash: "input-hash", size: input } } },
  Story.dispatched(),
  { ...Story.received, payloads: { output: { hash: "output-hash", size: output } } },
  Story.completed
]

describe("Erasing a request", () => {
  it("is rejected before it has ended", () => {
    for (const events of Object.values(Phases.open)) {
      given(aggregate, events).when(erase).expectRejection("RequestNotEnded")
    }
  })

  it.each(Object.entries(notErased))("names the payloads that its events named: %s", (_name, events) => {
    const named = events.flatMap((event) => ("payloads" in event ? Object.keys(event.payloads ?? {}) : []))
    const hasMedia = events.some((event) => event._tag === "OutputReceived" && event.media !== undefined)
    given(aggregate, events)
      .when(erase)
      .expectEvents(Story.erased(named, hasMedia))
      .expectState((state) => state._tag === "Request" && isTerminal(state.phase))
  })

  it("records the reason", () => {
    for (const reason of ["requested", "expired", "account"] as const) {
      given(aggregate, Phases.terminal.completed)
        .when({ ...erase, reason })
        .expectEvents({ ...Story.erased(["input", "output"], false), reason })
    }
  })

  it("happens once, whatever the reason", () => {
    given(aggregate, Phases.terminal["completed with files"])
      .when(erase)
      .when({ ...erase, at: 9_100, reason: "account" })
      .expectNothing()
  })

  it("keeps what the client sees of its end", () => {
    for (const events of Object.values(notErased)) {
      const look = Story.ofRequest(({ media, output, phase }) => ({ media, output, phase }))
      given(aggregate, events)
        .when(erase)
        .expectView(look, look(given(aggregate, events).state))
    }
  })

  it("still allows a late answer to be recorded", () => {
    given(aggregate, Phases.terminal.expired)
      .when(erase)
      .when(Story.end(Story.outcomes.succeeded, { at: 9_900 }))
      .expectEvents({ _tag: "LateOutcomeIgnored", at: 9_900, attempt: 1, outcome: "Succeeded" })
  })
})

describe("Data outside the log remains to be removed", () => {
  it.each<[number, number, boolean]>([
    [inlineLimit, inlineLimit, false],
    [inlineLimit + 1, inlineLimit, true],
    [inlineLimit, inlineLimit + 1, true],
    [0, 0, false]
  ])("after an input of %i and an output of %i bytes: %s", (input, output, expected) => {
    given(aggregate, ofSizes(input, output))
      .when(erase)
      .expectEvents(Story.erased(["input", "output"], expected))
      .expectView(hasFiles, expected)
  })

  it("if only the output with our URLs exceeds 64 KiB", () => {
    const result = { hash: "result-hash", size: inlineLimit + 1 }
    given(aggregate, [
      ...Phases.open.running,
      { ...Story.receivedWithMedia, media: [] },
      { ...Story.mediaStored, media: [], payloads: { result } },
      Story.completed
    ])
      .when(erase)
      .expectEvents(Story.erased(all, true))
  })

  it("if files were planned, even if none was recorded", () => {
    for (const events of [
      Phases.terminal["expired while finalizing"],
      Phases.terminal["given up while finalizing"],
      [...Phases.open.finalizing, { ...Story.notCharged, error: "The file is not there." }]
    ]) {
      given(aggregate, events).when(erase).expectView(hasFiles, true)
    }
  })

  it("until it is removed, which is recorded once", () => {
    given(aggregate, Phases.terminal["completed with files"])
      .when(removed)
      .expectNothing()
      .when(erase)
      .expectEvents(Story.erased(all, true))
      .when(removed)
      .expectEvents({ _tag: "ErasedFilesRemoved", at: 9_500 })
      .expectView(hasFiles, false)
      .when(removed)
      .expectNothing()
      .when(erase)
      .expectNothing()
  })

  it("and nothing is recorded as removed if there was nothing", () => {
    given(aggregate, Phases.terminal.completed).when(erase).when(removed).expectNothing()
  })
})

describe("The files of a request", () => {
  const stored = (media: ReadonlyArray<Partial<StoredMedia>>): ReadonlyArray<Event> => [
    ...Phases.open.running,
    Story.receivedWithMedia,
    {
      ...Story.mediaStored,
      media: Story.storedMedia.map((file, index) => ({ ...file, ...media[index] }))
    },
    Story.completed
  ]

  it("are all planned files with their thumbnails, stored or not, each once", () => {
    const planned = ["file-0", "thumbnail-0", "file-1", "thumbnail-1"]
    given(aggregate, Phases.open.finalizing).expectView(files, planned)
    given(aggregate, Phases.terminal["completed with files"]).expectView(files, planned)
  })

  it("include those stored under other ids, with their thumbnails", () => {
    const { state } = given(aggregate, stored([{ fileId: "made", thumbnailId: "made-small" }]))
    assert.includeMembers([...files(state)], ["made", "made-small"])
  })

  it("exclude files of others that its output names", () => {
    const { state } = given(
      aggregate,
      stored([{ fileId: "upload", thumbnailId: "upload-small", owned: false }])
    )
    assert.notInclude(files(state), "upload")
    assert.notInclude(files(state), "upload-small")
  })

  it("are empty before an output names any", () => {
    given(aggregate, Phases.open.running).expectView(files, [])
    given(aggregate, Phases.terminal.completed).expectView(files, [])
  })
})
