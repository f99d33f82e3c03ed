/** The causes for which queues wait, each with its models, its remedy and the way there. */
import { Link } from "@tanstack/react-router"
import { Badge } from "#console/design/feedback/Badge.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { Row } from "#console/design/layout/Stack.tsx"
import { Time } from "#console/design/data/Time.tsx"
import classes from "../Operate.module.css"
import { CauseLink, isReset, words } from "../parts/Causes.tsx"
import type { HoldUp, Overview } from "../parts/Live.ts"
import { ResetButton } from "../parts/ResetButton.tsx"

/** Models that are named. */
const most = 5

const Models = ({ modelCount, models }: Pick<HoldUp, "modelCount" | "models">) => (
  <span className={classes["models"]}>
    {models.slice(0, most).map((model) => (
      <Link key={model} to="/operate/models" search={{ q: model }}>
        {model}
      </Link>
    ))}
    {modelCount > most && <span>and {modelCount - most} more</span>}
  </span>
)

const One = ({ holdUp }: { readonly holdUp: HoldUp }) => {
  const { cause, detail, firstDueAt, provider, queued, since, until } = holdUp
  const { kind, label, remedy, what } = words[cause]
  const isLimit = cause === "model_limit" || cause === "provider_limit"
  return (
    <li className={classes["holdUp"]}>
      <div className={classes["told"]}>
        <Row>
          <Badge kind={kind}>{label}</Badge>
          <strong>
            {queued} {queued === 1 ? "request waits" : "requests wait"}
          </strong>
          <Models {...holdUp} />
        </Row>
        <p>{what(holdUp)}</p>
        {detail !== null && !isLimit && (
          <p>
            <code>{detail}</code>
          </p>
        )}
        <p className={classes["small"]}>
          {since !== null && (
            <>
              Since <Time at={since} />.{" "}
            </>
          )}
          {since === null && firstDueAt !== null && cause !== "retry_later" && (
            <>
              The first waits since <Time at={firstDueAt} />.{" "}
            </>
          )}
          {until !== null && (
            <>
              Next try <Time at={until} />.{" "}
            </>
          )}
          {remedy}
        </p>
      </div>
      <Row>
        <CauseLink {...holdUp} />
        {provider !== null && isReset(cause) && <ResetButton name={provider} />}
      </Row>
    </li>
  )
}

export const HoldUps = ({ overview: { holdUps, queued } }: { readonly overview: Overview }) =>
  holdUps.length === 0 ? (
    <Notice kind="good">
      {queued === 0 ? "No request waits." : `Nothing: ${queued} requests are being dispatched.`}
    </Notice>
  ) : (
    <ul className={classes["holdUps"]}>
      {holdUps.map((holdUp) => (
        <One key={`${holdUp.cause} ${holdUp.provider} ${holdUp.models[0]}`} holdUp={holdUp} />
      ))}
    </ul>
  )
