/** A JSON value as a tree whose parts fold. Long lists and texts are shown in steps, so that large values stay quick. */
import { useMemo, useState } from "react"
import type { Json as Value, JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import { Button } from "../actions/Button.tsx"
import classes from "./Data.module.css"

/** Members that are shown at once, and with each step more. */
const step = 100

/** Characters of a text that are shown before it is asked for. */
const longestText = 2_000

const isComposite = (value: Value): value is JsonObject | ReadonlyArray<Value> =>
  typeof value === "object" && value !== null

const Text = ({ text }: { readonly text: string }) => {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole || text.length <= longestText ? text : text.slice(0, longestText)
  return (
    <span className={classes["text"]}>
      {JSON.stringify(shown)}
      {shown.length < text.length && (
        <Button kind="quiet" size="small" onPress={() => setWhole(true)}>
          Show all {text.length.toLocaleString()} characters
        </Button>
      )}
    </span>
  )
}

const Leaf = ({ scalar, value }: { readonly value: Value; readonly scalar: string | null }) =>
  typeof value === "string" ? (
    <Text text={value} />
  ) : (
    <span className={classes["literal"]}>{scalar ?? String(value)}</span>
  )

const Members = ({
  depth,
  open,
  value
}: {
  readonly value: JsonObject | ReadonlyArray<Value>
  readonly depth: number
  readonly open: number
}) => {
  const [count, setCount] = useState(step)
  const members = useMemo(() => JsonText.entries(value), [value])
  return (
    <ul className={classes["members"]}>
      {members.slice(0, count).map(({ name, scalar, value: member }) => (
        <li key={name}>
          <Node
            name={Array.isArray(value) ? null : name}
            value={member}
            scalar={scalar}
            depth={depth}
            open={open}
          />
        </li>
      ))}
      {members.length > count && (
        <li>
          <Button kind="quiet" size="small" onPress={() => setCount(count + step)}>
            Show more of {members.length.toLocaleString()}
          </Button>
        </li>
      )}
    </ul>
  )
}

const Node = ({
  depth,
  name,
  open,
  scalar,
  value
}: {
  readonly name: string | null
  readonly value: Value
  /** Its text, if it cannot remember it. */
  readonly scalar: string | null
  readonly depth: number
  readonly open: number
}) => {
  const [isOpen, setOpen] = useState(depth < open)
  const label = name === null ? null : <span className={classes["name"]}>{name}: </span>
  if (!isComposite(value)) {
    return (
      <>
        {label}
        <Leaf value={value} scalar={scalar} />
      </>
    )
  }
  const size = Object.keys(value).length
  const [begin, end] = Array.isArray(value) ? ["[", "]"] : ["{", "}"]
  if (size === 0) {
    return (
      <>
        {label}
        {begin + end}
      </>
    )
  }
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {label}
        {begin}
        {!isOpen && `… ${size} …${end}`}
      </summary>
      {isOpen && (
        <>
          <Members value={value} depth={depth + 1} open={open} />
          {end}
        </>
      )}
    </details>
  )
}

/** @param open levels that are open at first. @param scalar the text of a value that cannot remember it. */
export const Json = ({
  label,
  open = 2,
  scalar = null,
  value
}: {
  readonly value: Value
  readonly scalar?: string | null
  readonly label: string
  readonly open?: number
}) => (
  <div role="group" aria-label={label} className={classes["json"]}>
    <Node name={null} value={value} scalar={scalar} depth={0} open={open} />
  </div>
)
