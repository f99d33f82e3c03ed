/** The events of a request in words, oldest first; each opens to what the log says of it, with its hash. */
import { useEffect, useRef } from "react"
import { classNames } from "#console/design/classNames.ts"
import { durationText } from "#console/design/data/Duration.tsx"
import { Facts } from "#console/design/layout/Facts.tsx"
import { Id } from "#console/design/data/Id.tsx"
import { Json } from "#console/design/data/Json.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { type Entry, timeOf } from "./Entry.ts"
import { wordsOf } from "./EventWords.ts"
import classes from "./Timeline.module.css"

/** Time since the first event. */
const sinceText = (ms: number): string => (ms <= 0 ? "+0 ms" : `+${durationText(ms)}`)

const Details = ({ entry }: { readonly entry: Entry }) => {
  const { at, chain, data, position, type } = entry
  return (
    <div className={classes["details"]}>
      <Facts
        facts={[
          { name: "Time", value: <Time at={at} form="exact" /> },
          { name: "Position on the log", value: <Id id={position} what="position" /> },
          ...(chain === undefined
            ? []
            : [
                {
                  name: `Hash of event ${chain.ordinal} of its stream`,
                  value: <Id id={chain.hash} what="hash" isShort />
                },
                {
                  name: "Hash before it",
                  value:
                    chain.previous === null ? (
                      "none, it is the first"
                    ) : (
                      <Id id={chain.previous} what="hash before" isShort />
                    )
                }
              ])
        ]}
      />
      <Json value={data} label={`Data of ${type}`} open={3} />
    </div>
  )
}

const Item = ({
  entry,
  isChosen,
  isOpen,
  onChoose,
  onToggle,
  since
}: {
  readonly entry: Entry
  readonly since: number
  readonly isChosen: boolean
  readonly isOpen: boolean
  readonly onChoose: () => void
  readonly onToggle: (isOpen: boolean) => void
}) => {
  const ref = useRef<HTMLLIElement>(null)
  useEffect(() => {
    const list = ref.current?.parentElement
    const item = ref.current
    if (!isChosen || item === null || list === null || list === undefined) return
    // Not `scrollIntoView`, which scrolls the page too.
    const from = item.offsetTop - list.offsetTop
    if (from < list.scrollTop) list.scrollTop = from
    else if (from + item.clientHeight > list.scrollTop + list.clientHeight)
      list.scrollTop = from + item.clientHeight - list.clientHeight
  }, [isChosen])
  return (
    <li
      ref={ref}
      aria-current={isChosen ? "step" : undefined}
      className={classNames(classes["event"], isChosen && classes["chosen"])}
    >
      <details open={isOpen} onToggle={({ currentTarget }) => onToggle(currentTarget.open)}>
        <summary onClick={onChoose}>
          <span className={classes["since"]}>{sinceText(since)}</span>
          <span className={classes["words"]}>{wordsOf(entry)}</span>
          <code className={classes["type"]}>{entry.type}</code>
        </summary>
        {isOpen && <Details entry={entry} />}
      </details>
    </li>
  )
}

export const EventList = ({
  chosen,
  entries,
  onChoose,
  onToggle,
  open
}: {
  readonly entries: ReadonlyArray<Entry>
  /** Index of an event. */
  readonly chosen: number
  readonly onChoose: (index: number) => void
  /** Positions of events that are open. */
  readonly open: ReadonlySet<string>
  readonly onToggle: (position: string, isOpen: boolean) => void
}) => {
  const [first] = entries
  const start = first === undefined ? 0 : timeOf(first)
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- A part that scrolls must be reached by keyboard.
    <ol className={classes["events"]} aria-label="Events" tabIndex={0}>
      {entries.map((entry, index) => (
        <Item
          key={entry.position}
          entry={entry}
          since={timeOf(entry) - start}
          isChosen={index === chosen}
          isOpen={open.has(entry.position)}
          onChoose={() => onChoose(index)}
          onToggle={(isOpen) => onToggle(entry.position, isOpen)}
        />
      ))}
    </ol>
  )
}
