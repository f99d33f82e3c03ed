/** The form of the sign-in: a key, or an account and its password. */
import { type FormEvent, useState } from "react"
import { ApiError } from "#clients/typescript/ApiError.ts"
import { UnreachableError } from "#clients/typescript/InferlogError.ts"
import type { Credentials } from "#console/api/Session.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { durationText } from "#console/design/data/Duration.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { TextField } from "#console/design/fields/TextField.tsx"
import classes from "./SignIn.module.css"

export type Way = "key" | "password"

/** What went wrong, and what to do. */
const adviceOf = (error: unknown, way: Way): string => {
  if (error instanceof UnreachableError) return error.message
  if (!(error instanceof ApiError)) return "Something went wrong here. Try again."
  switch (error.code ?? error.status) {
    case "SIGN_IN_REFUSED":
      return way === "key"
        ? "This key is not valid. Paste it whole, as id:secret. It may also have been revoked or rotated, or have expired."
        : "Account and password do not match. An account has a password only after one was set for it."
    case "FOREIGN_ORIGIN":
      return "The server does not know this address as its own. Open the console at the server's public address, or set BASE_URL to this one."
    case "NOT_SERVED_HERE":
      return error.message
    case 429: {
      const wait = error.retryAfter === null ? "a while" : durationText(error.retryAfter)
      return `Too many sign-ins have failed. Try again in ${wait}.`
    }
    default:
      return error.message
  }
}

export const SignInForm = ({
  label,
  onSignIn,
  way
}: {
  readonly way: Way
  /** Of the key. */
  readonly label: string
  readonly onSignIn: (credentials: Credentials) => Promise<void>
}) => {
  const [key, setKey] = useState("")
  const [account, setAccount] = useState("")
  const [password, setPassword] = useState("")
  const [error, setError] = useState<unknown>(null)
  const [isRunning, setRunning] = useState(false)

  const isComplete = way === "key" ? key.trim() !== "" : account.trim() !== "" && password !== ""
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isComplete || isRunning) return
    setRunning(true)
    setError(null)
    onSignIn(way === "key" ? { api_key: key.trim() } : { account: account.trim(), password })
      .catch(setError)
      .finally(() => setRunning(false))
  }

  return (
    <form onSubmit={submit} className={classes["form"]}>
      {error !== null && <Notice kind="alarm">{adviceOf(error, way)}</Notice>}
      {way === "key" ? (
        <>
          {/* Password managers keep a key under a name. */}
          <input type="text" name="username" autoComplete="username" value="inferlog" readOnly hidden />
          <TextField
            label={label}
            name="api_key"
            type="password"
            autoComplete="current-password"
            spellCheck="false"
            isMono
            isRequired
            validationBehavior="aria"
            value={key}
            onChange={setKey}
          />
        </>
      ) : (
        <>
          <TextField
            label="Account"
            name="account"
            placeholder="acc_…"
            autoComplete="username"
            spellCheck="false"
            isMono
            isRequired
            validationBehavior="aria"
            value={account}
            onChange={setAccount}
          />
          <TextField
            label="Password"
            name="password"
            type="password"
            autoComplete="current-password"
            isRequired
            validationBehavior="aria"
            value={password}
            onChange={setPassword}
          />
        </>
      )}
      <Button type="submit" kind="primary" isDisabled={!isComplete || isRunning}>
        {isRunning ? "Signing in…" : "Sign in"}
      </Button>
    </form>
  )
}
