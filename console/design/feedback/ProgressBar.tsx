/** How far something is. Without a fraction it only says that something is under way. */
import { Label, ProgressBar as AriaProgressBar } from "react-aria-components"
import { classNames } from "../classNames.ts"
import classes from "./Feedback.module.css"

export const ProgressBar = ({
  fraction,
  isLabelShown = true,
  label
}: {
  readonly label: string
  /** From 0 to 1; `null`: unknown. */
  readonly fraction: number | null
  readonly isLabelShown?: boolean
}) => (
  <AriaProgressBar
    className={classes["progress"] ?? ""}
    value={(fraction ?? 0) * 100}
    isIndeterminate={fraction === null}
    {...(isLabelShown ? {} : { "aria-label": label })}
  >
    {({ valueText }) => (
      <>
        {isLabelShown && (
          <span className={classes["progressText"]}>
            <Label>{label}</Label>
            {fraction !== null && <span>{valueText}</span>}
          </span>
        )}
        <progress
          className={classNames(classes["track"], fraction === null && classes["unknown"])}
          aria-hidden
          max={1}
          value={fraction ?? 0}
        />
      </>
    )}
  </AriaProgressBar>
)
