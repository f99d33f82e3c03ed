/** A block of code or text, with a button that copies it. It takes the focus, so that the keyboard can scroll it. */
import { CopyButton } from "../actions/CopyButton.tsx"
import { classNames } from "../classNames.ts"
import classes from "./Data.module.css"

export const Code = ({
  isWrapped = false,
  label,
  text
}: {
  readonly text: string
  /** What it is, for screen readers and the button. */
  readonly label: string
  readonly isWrapped?: boolean
}) => (
  <div className={classes["code"]}>
    <div className={classes["copy"]}>
      <CopyButton text={text} what={label} />
    </div>
    {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- A part that scrolls must be reached by keyboard. */}
    <pre
      tabIndex={0}
      role="region"
      aria-label={label}
      className={classNames(isWrapped && classes["wrapped"])}
    >
      {text}
    </pre>
  </div>
)
