/** A message in the page: a fact, a warning, or an error with what to do. */
import type { ReactNode } from "react"
import { ApiError } from "#clients/typescript/ApiError.ts"
import { classNames } from "../classNames.ts"
import classes from "./Feedback.module.css"

export const Notice = ({
  action,
  children,
  error,
  kind = "info",
  title
}: {
  readonly kind?: "info" | "warning" | "alarm" | "good"
  readonly title?: string
  readonly children?: ReactNode
  /** What a call failed with. Its message is shown, with the id of the exchange for a search in the log. */
  readonly error?: unknown
  readonly action?: ReactNode
}) => (
  <div role={kind === "alarm" ? "alert" : "status"} className={classNames(classes["notice"], classes[kind])}>
    <div className={classes["said"]}>
      {title !== undefined && <strong>{title}</strong>}
      {error !== undefined && <ErrorText error={error} />}
      {children}
    </div>
    {action}
  </div>
)

const ErrorText = ({ error }: { readonly error: unknown }) => (
  <>
    <p>{error instanceof Error ? error.message : "Something went wrong."}</p>
    {error instanceof ApiError && error.requestId !== undefined && (
      <p className={classes["small"]}>
        Request id: <code>{error.requestId}</code>
      </p>
    )}
  </>
)
