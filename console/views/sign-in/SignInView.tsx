/** Signs in an account with a key or a password, and operators with a key or at the issuer. */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useRouter, useSearch } from "@tanstack/react-router"
import { useEffect, useRef, useState } from "react"
import { consolePath } from "#console/api/Client.ts"
import { type Credentials, openSession, type Session, sessionQuery } from "#console/api/Session.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { LinkButton } from "#console/design/actions/LinkButton.tsx"
import { ErrorState } from "#console/design/feedback/ErrorState.tsx"
import { Page } from "#console/design/layout/Page.tsx"
import { keepDestination, localPath, takeDestination } from "./Destination.ts"
import classes from "./SignIn.module.css"
import { SignInForm, type Way } from "./SignInForm.tsx"

const isOfOperators = (to: string): boolean => /^\/operate(\/|$)/.test(to)

/** Where an operator without an account begins. */
const startOf = (session: Session): string => (session.account === null ? "/operate/overview" : "/")

const leads = {
  both: "With the key of an account, or of an operator.",
  account: "With the key of your account.",
  operator: "With the key of an operator."
} as const

const leadOf = (serves: Session["serves"], to: string): string => {
  if (isOfOperators(to)) return "This view is for operators. Sign in with the key of one."
  if (serves.account && serves.operator) return leads.both
  return serves.account ? leads.account : leads.operator
}

export const SignInView = () => {
  // The router keeps what a route refuses.
  const to = localPath(useSearch({ from: "/sign-in" }).to)
  const client = useQueryClient()
  const router = useRouter()
  const [way, setWay] = useState<Way>("key")
  const { data: session, error, refetch } = useQuery(sessionQuery)
  const card = useRef<HTMLDivElement>(null)
  // The field, not the heading, because people come here to paste a key.
  useEffect(() => {
    card.current?.querySelector<HTMLInputElement>("input:not([hidden])")?.focus()
  }, [way])

  const signIn = async (credentials: Credentials) => {
    const opened = await openSession(credentials)
    // What another holder has seen is not for this one.
    client.clear()
    client.setQueryData(sessionQuery.queryKey, opened)
    await router.invalidate()
    const wanted = to ?? takeDestination() ?? startOf(opened)
    const isLeft = isOfOperators(wanted) ? opened.operator === null : opened.account === null
    const target = isLeft ? startOf(opened) : wanted
    await (target === "/"
      ? router.navigate({ to: "/", replace: true })
      : router.navigate({ href: consolePath + target, replace: true }))
  }

  const sso = session?.sso ?? null
  const serves = session?.serves ?? { account: true, operator: true }
  const isOpen = session !== undefined && (session.account !== null || session.operator !== null)
  return (
    <main className={classes["place"]}>
      <div className="brand">
        <img src={`${consolePath}/icon.svg`} alt="" width={24} height={24} />
        inferlog
      </div>
      <div ref={card} className={classes["card"]}>
        <Page title="Sign in" lead={leadOf(serves, to ?? "")}>
          {error !== null && (
            <ErrorState title="The server does not answer" error={error} onRetry={() => void refetch()} />
          )}
          <SignInForm
            key={way}
            way={way}
            label={serves.account && !isOfOperators(to ?? "") ? "API key" : "Operator key"}
            onSignIn={signIn}
          />
          <div className={classes["others"]}>
            {serves.account && (
              <Button kind="quiet" onPress={() => setWay(way === "key" ? "password" : "key")}>
                {way === "key" ? "Use account and password" : "Use a key"}
              </Button>
            )}
            {sso !== null && (
              <Button
                onPress={() => {
                  keepDestination(to)
                  location.assign(sso.signIn)
                }}
              >
                Operators: sign in with single sign-on
              </Button>
            )}
            {isOpen && (
              <LinkButton kind="quiet" to={startOf(session) === "/" ? "/" : "/operate/overview"}>
                Back to the console
              </LinkButton>
            )}
          </div>
        </Page>
      </div>
      {serves.account && (
        <p className={classes["note"]}>
          On its first start, the server prints the key of the first account in its terminal.
        </p>
      )}
    </main>
  )
}
