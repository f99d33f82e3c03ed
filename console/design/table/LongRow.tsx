/** A row of a `LongTable`. It is drawn anew only when what it shows changes, so that scrolling draws new rows alone. */
import { memo, type MouseEvent, type ReactElement } from "react"
import { classNames } from "../classNames.ts"
import type { LongColumn } from "./LongColumn.ts"
import classes from "./LongTable.module.css"

export interface LongRowProps<Row> {
  readonly id: string
  readonly index: number
  /** `undefined` while it is not loaded. */
  readonly row: Row | undefined
  readonly columns: ReadonlyArray<LongColumn<Row>>
  /** px */
  readonly height: number
  readonly isChosen: boolean
  /** Whether it has the keyboard's focus. */
  readonly isFocused: boolean
  /** Both must stay the same functions. */
  readonly onOpen: (index: number) => void
  readonly onChoose: (index: number) => void
}

/** Whether a click is for the browser: a new tab, or a selection of text. */
const isForBrowser = ({ altKey, button, ctrlKey, metaKey, shiftKey }: MouseEvent) =>
  button !== 0 || altKey || ctrlKey || metaKey || shiftKey || document.getSelection()?.isCollapsed === false

const View = <Row,>({
  columns,
  height,
  id,
  index,
  isChosen,
  isFocused,
  onChoose,
  onOpen,
  row
}: LongRowProps<Row>) => {
  const header = columns.find(({ isRowHeader }) => isRowHeader === true)?.id ?? columns[0]?.id
  const onClick = (event: MouseEvent) => {
    const isOnButton = event.target instanceof Element && event.target.closest("button") !== null
    if (isOnButton || isForBrowser(event)) return
    // A link in a row leads where the row does.
    event.preventDefault()
    onOpen(index)
  }
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- The grid has the focus and the keys.
    <div
      id={id}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isChosen}
      aria-busy={row === undefined}
      className={classNames(classes["row"], classes["body"], isChosen && isFocused && classes["chosen"])}
      style={{ blockSize: height }}
      onClick={onClick}
      onMouseDown={() => onChoose(index)}
    >
      {columns.map(({ align = "start", cell, id, isMinor = false }, column) => (
        <div
          key={id}
          role={id === header ? "rowheader" : "gridcell"}
          aria-colindex={column + 1}
          className={classNames(classes["cell"], classes[align], isMinor && classes["minor"])}
        >
          {row === undefined ? <span className={classes["awaited"]} /> : cell(row)}
        </div>
      ))}
    </div>
  )
}

/** `memo` forgets type parameters. */
export const LongRow = memo(View) as <Row>(
  props: LongRowProps<Row> & { readonly key?: string | number }
) => ReactElement
