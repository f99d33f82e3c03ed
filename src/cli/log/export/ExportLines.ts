/** The lines of an export, a page of the log at a time. */
import { Effect, Option, Stream } from "effect"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as ProgressLine from "../../ProgressLine.ts"
import * as EventChoice from "../EventChoice.ts"
import * as EventLine from "../EventLine.ts"

export interface Choice extends EventChoice.EventChoice {
  readonly after: GlobalPosition.GlobalPosition
  /** The last one that may be exported. */
  readonly until: Option.Option<GlobalPosition.GlobalPosition>
  readonly follow: boolean
}

const none: ProgressLine.ProgressLine = { report: () => Effect.void, clear: Effect.void }

export const make = Effect.fnUntraced(function* (
  choice: Choice,
  options: { readonly showProgress: boolean }
) {
  const { after, follow } = choice
  const head = yield* (yield* EventReader).head
  const until = Option.getOrUndefined(choice.until)
  const matches = EventChoice.matcher(choice)
  const isPlain = Option.isNone(choice.stream) && choice.types.length === 0
  // Positions of the only backend there is count the events.
  const end = until !== undefined && GlobalPosition.isReached(until, head) ? until : head
  const total = follow ? null : Number(end) - Number(after)
  const progress = options.showProgress ? yield* ProgressLine.make(total) : none
  let scanned = 0
  let events = 0
  let last: RecordedEvent | undefined

  const toText = (page: ReadonlyArray<RecordedEvent>): string => {
    const wanted = isPlain ? page : page.filter(matches)
    scanned += page.length
    events += wanted.length
    last = wanted.at(-1) ?? last
    let text = ""
    for (const event of wanted) text += EventLine.json(event)
    return text
  }

  const isEmpty = until !== undefined && GlobalPosition.isReached(until, after)
  const chosen = yield* EventChoice.read({ after, follow })
  const upToEnd =
    until === undefined
      ? chosen
      : Stream.takeUntil(chosen, ({ position }) => GlobalPosition.isReached(until, position))

  return {
    texts: (isEmpty ? Stream.empty : upToEnd).pipe(
      Stream.mapArrayEffect((page) => {
        const text = toText(page)
        return Effect.as(progress.report(scanned), [text] as const)
      })
    ),
    exported: () => ({ events, position: last?.position ?? null }),
    clearProgress: progress.clear
  }
})
