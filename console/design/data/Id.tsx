/** An id in full or shortened in the middle, with a button that copies it. */
import { CopyButton } from "../actions/CopyButton.tsx"
import classes from "./Data.module.css"

const shortened = (id: string) => (id.length <= 16 ? id : `${id.slice(0, 8)}…${id.slice(-4)}`)

export const Id = ({
  id,
  isShort = false,
  what
}: {
  readonly id: string
  /** What it is the id of, such as "request id". */
  readonly what: string
  readonly isShort?: boolean
}) => (
  <span className={classes["id"]}>
    <code title={id}>{isShort ? shortened(id) : id}</code>
    <CopyButton text={id} what={what} />
  </span>
)
