/** Sets or removes the password of an account, which signs in assistants and the console. */
import { type FormEvent, useState } from "react"
import { admin } from "#console/api/Client.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { TextField } from "#console/design/fields/TextField.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import classes from "../Operate.module.css"
import { useRefusal } from "../parts/Role.ts"

export const Password = ({ accountId }: { readonly accountId: string }) => {
  const refusal = useRefusal("operator")
  const [text, setText] = useState("")
  const [said, setSaid] = useState<unknown>(null)
  const set = async (password: string | null) => {
    setSaid(null)
    try {
      await admin("setPassword", { accountId, password })
      setText("")
      setSaid(password === null ? "The password is removed." : "The password is set, and in force.")
    } catch (error) {
      setSaid(error)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void set(text)
  }
  return (
    <Section title="Password" lead="Signs people in to the console and assistants, beside the keys.">
      <form className={classes["filters"]} onSubmit={submit} aria-label="Password">
        <TextField
          label="New password"
          type="password"
          autoComplete="new-password"
          value={text}
          onChange={setText}
          isDisabled={refusal !== null}
        />
        <Button type="submit" refusal={refusal} isDisabled={text === ""}>
          Set password
        </Button>
        <Button kind="quiet" refusal={refusal} onPress={() => void set(null)}>
          Remove password
        </Button>
      </form>
      {typeof said === "string" && <Notice kind="good">{said}</Notice>}
      {said !== null && typeof said !== "string" && <Notice kind="alarm" error={said} />}
    </Section>
  )
}
