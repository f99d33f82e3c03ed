/** A choice along a line, by dragging or with the arrow keys. */
import { useId } from "react"
import classes from "./Field.module.css"

export const Slider = ({
  label,
  least,
  most,
  onChange,
  text,
  value
}: {
  readonly label: string
  /** Whole numbers. */
  readonly least: number
  readonly most: number
  readonly value: number
  readonly onChange: (value: number) => void
  /** What the value means, shown beside the label and told to screen readers. */
  readonly text: string
}) => {
  const id = useId()
  return (
    <div className={classes["field"]}>
      <span className={classes["sliderText"]}>
        <label htmlFor={id} className={classes["label"]}>
          {label}
        </label>
        <span aria-hidden>{text}</span>
      </span>
      <input
        id={id}
        type="range"
        className={classes["slider"]}
        min={least}
        max={most}
        value={value}
        aria-valuetext={text}
        onChange={({ target }) => onChange(target.valueAsNumber)}
      />
    </div>
  )
}
