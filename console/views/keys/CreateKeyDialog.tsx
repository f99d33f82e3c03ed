/** Creates a key that may do no more than the one of this session. */
import { useQuery } from "@tanstack/react-query"
import { type FormEvent, useEffect, useId, useRef, useState } from "react"
import { InferlogError } from "#clients/typescript/InferlogError.ts"
import { call } from "#console/api/Client.ts"
import { apiQuery } from "#console/api/Queries.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { ErrorState } from "#console/design/feedback/ErrorState.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { Skeleton } from "#console/design/feedback/Skeleton.tsx"
import { Checkbox, CheckboxGroup } from "#console/design/fields/Checkbox.tsx"
import { Select } from "#console/design/fields/Select.tsx"
import { TextField } from "#console/design/fields/TextField.tsx"
import { Stack } from "#console/design/layout/Stack.tsx"
import { Dialog } from "#console/design/overlays/Dialog.tsx"
import { type ApiKey, type IssuedKey, scopes, type ScopeName } from "./Keys.ts"
import { type Fault, faultsOf, lifetimes, type NewKeyForm, payloadOf } from "./NewKey.ts"

export const CreateKeyDialog = ({
  onClose,
  onCreated,
  ownId
}: {
  readonly ownId: string
  readonly onClose: () => void
  readonly onCreated: (key: IssuedKey) => void
}) => {
  const form = useId()
  const [isRunning, setRunning] = useState(false)
  const own = useQuery(apiQuery("getKey", { params: { keyId: ownId } }))
  return (
    <Dialog
      title="Create a key"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form={form} isDisabled={isRunning || own.data === undefined}>
            Create key
          </Button>
        </>
      }
    >
      {own.error !== null && <ErrorState error={own.error} onRetry={() => void own.refetch()} />}
      {own.data === undefined && own.error === null && <Skeleton lines={6} />}
      {own.data !== undefined && (
        <Form id={form} own={own.data} onCreated={onCreated} onRunning={setRunning} />
      )}
    </Dialog>
  )
}

const Form = ({
  id,
  onCreated,
  onRunning,
  own
}: {
  readonly id: string
  /** The key of this session, which the new one must not exceed. */
  readonly own: ApiKey
  readonly onCreated: (key: IssuedKey) => void
  readonly onRunning: (isRunning: boolean) => void
}) => {
  const [value, setValue] = useState<NewKeyForm>({
    name: "",
    scopes: own.scopes,
    models: "",
    budget: "",
    lifetime: "own",
    origins: ""
  })
  const [fault, setFault] = useState<Fault>({})
  const form = useRef<HTMLFormElement>(null)
  // The first field to correct may be out of sight.
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid] input')?.focus()
  }, [fault])
  const [error, setError] = useState<unknown>(null)
  const set =
    <Name extends keyof NewKeyForm>(name: Name) =>
    (given: NewKeyForm[Name]) =>
      setValue((before) => ({ ...before, [name]: given }))

  const submit = (event: FormEvent) => {
    event.preventDefault()
    const faults = faultsOf(value)
    setFault(faults)
    setError(null)
    if (Object.keys(faults).length > 0) return
    onRunning(true)
    call("createKey", { payload: payloadOf(value, Date.now()) })
      .then(onCreated, (cause: unknown) => setError(cause instanceof InferlogError ? cause : null))
      .finally(() => onRunning(false))
  }

  return (
    <form ref={form} id={id} onSubmit={submit} noValidate>
      <Stack>
        {error !== null && <Notice kind="alarm" error={error} />}
        <TextField
          label="Name"
          hint="Where it is used, such as “ci” or “website”."
          value={value.name}
          onChange={set("name")}
          maxLength={100}
          error={fault.name}
          autoComplete="off"
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- The dialog was opened to enter it.
          autoFocus
        />
        <CheckboxGroup
          label="May"
          error={fault.scopes ?? null}
          value={[...value.scopes]}
          onChange={(chosen) => set("scopes")(chosen as Array<ScopeName>)}
        >
          {scopes.map(([scope, meaning]) => (
            <Checkbox key={scope} value={scope} isDisabled={!own.scopes.includes(scope)}>
              {meaning} <code>{scope}</code>
            </Checkbox>
          ))}
        </CheckboxGroup>
        <Select label="Expires" choices={lifetimes(own)} value={value.lifetime} onChange={set("lifetime")} />
        <TextField
          label="Budget a month, USD"
          isOptional
          hint={
            own.monthlyBudget === null
              ? "Requests beyond it are refused until the next month."
              : `At most ${own.monthlyBudget}, as your own key.`
          }
          inputMode="decimal"
          value={value.budget}
          onChange={set("budget")}
          error={fault.budget}
        />
        <TextField
          label="Models"
          isOptional
          hint={
            own.modelEndpoints === null
              ? "One owner/model a line. Empty: every model."
              : `One owner/model a line, of: ${own.modelEndpoints.join(", ")}.`
          }
          rows={2}
          isMono
          value={value.models}
          onChange={set("models")}
          error={fault.models}
        />
        <TextField
          label="Origins of web pages"
          isOptional
          hint="One a line, such as https://app.example, for a key that pages use. Empty: no page may use it."
          rows={2}
          isMono
          value={value.origins}
          onChange={set("origins")}
          error={fault.origins}
        />
      </Stack>
    </form>
  )
}
