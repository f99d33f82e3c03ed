/** Signs in with an API key. */
import { useQueryClient } from "@tanstack/react-query"
import { useRouter, useSearch } from "@tanstack/react-router"
import { type FormEvent, useState } from "react"
import { sendForJson } from "#console/api/Client.ts"
import { type Session, sessionQuery } from "#console/api/Session.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { TextField } from "#console/design/fields/TextField.tsx"
import { Page } from "#console/design/layout/Page.tsx"

export const SignInView = () => {
  const { to = "/" } = useSearch({ from: "/sign-in" })
  const client = useQueryClient()
  const router = useRouter()
  const [error, setError] = useState<unknown>(null)
  const [key, setKey] = useState("")
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    try {
      const session = await sendForJson("/session", { method: "POST", body: { api_key: key } })
      client.setQueryData(sessionQuery.queryKey, session as Session)
      await router.navigate({ href: to })
    } catch (cause) {
      setError(cause)
    }
  }
  return (
    <main>
      <Page title="Sign in">
        <form onSubmit={submit}>
          {error !== null && <Notice kind="alarm" error={error} />}
          <TextField label="API key" name="api_key" type="password" value={key} onChange={setKey} />
          <Button type="submit" kind="primary">
            Sign in
          </Button>
        </form>
      </Page>
    </main>
  )
}
