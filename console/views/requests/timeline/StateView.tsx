/** What the request was after an event, with what the event changed. */
import { classNames } from "#console/design/classNames.ts"
import type { StateFact } from "./StateFacts.ts"
import classes from "./Timeline.module.css"

export const StateView = ({ facts }: { readonly facts: ReadonlyArray<StateFact> }) => (
  <dl className={classes["state"]}>
    {facts.map(({ before, name, value }) => (
      <div key={name} className={classNames(before !== null && classes["changed"])}>
        <dt>{name}</dt>
        <dd>
          {value}
          {before !== null && <span className={classes["before"]}>was {before}</span>}
        </dd>
      </div>
    ))}
  </dl>
)
