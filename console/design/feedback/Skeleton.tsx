/** Stands for what is being loaded, and keeps its place. */
import classes from "./Feedback.module.css"

export const Skeleton = ({
  label = "Loading",
  lines = 3
}: {
  readonly lines?: number
  readonly label?: string
}) => (
  <div role="status" aria-label={label} className={classes["skeleton"]}>
    {Array.from({ length: lines }, (_, line) => (
      <span key={line} className={classes["bar"]} />
    ))}
  </div>
)
