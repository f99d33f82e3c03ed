/** A model in the catalog: what it does, what it costs and how long it takes. */
import { Link } from "@tanstack/react-router"
import type { AnswerOf } from "#console/api/Types.ts"
import { Badge } from "#console/design/feedback/Badge.tsx"
import * as Expectation from "../playground/Expectation.ts"
import * as PriceText from "../PriceText.ts"
import classes from "./Catalog.module.css"

export type ListedModel = AnswerOf<"getModel">

export const ModelCard = ({ model }: { readonly model: ListedModel }) => {
  const {
    category,
    description,
    displayName,
    expected,
    expectedSeconds,
    kind,
    modelEndpoint,
    name,
    owner,
    pricing,
    status
  } = model
  return (
    <article className={classes["card"]}>
      <div className={classes["cardHead"]}>
        <h3>
          <Link to="/models/$owner/$name" params={{ owner, name }} className={classes["link"]}>
            {displayName}
          </Link>
        </h3>
        <code className={classes["endpoint"]}>{modelEndpoint}</code>
      </div>
      <p className={classes["description"]}>{description}</p>
      <div className={classes["cardFoot"]}>
        <span>{PriceText.of(pricing)}</span>
        <span>{Expectation.durationText({ expected, expectedSeconds })}</span>
        <span className={classes["badges"]}>
          <Badge>{category}</Badge>
          {kind === "wrapper" && <Badge kind="info">wrapper</Badge>}
          {status === "deprecated" && <Badge kind="warning">deprecated</Badge>}
        </span>
      </div>
    </article>
  )
}
