/** What to do first: links into the playground, each with an example that runs without a GPU. */
import { useQueries } from "@tanstack/react-query"
import { apiQuery } from "#console/api/Queries.ts"
import { LinkButton } from "#console/design/actions/LinkButton.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { Grid, Stack } from "#console/design/layout/Stack.tsx"

/** They ship with the server, and can be withdrawn. */
const steps = [
  {
    name: "media",
    owner: "sandbox",
    title: "Make your first picture",
    text: "Choose a color and a size, and press Run. It takes a second and costs less than a cent.",
    action: "Make a picture"
  },
  {
    name: "stream",
    owner: "sandbox",
    title: "Watch a text as it is made",
    text: "The words appear one by one, as those of a language model do.",
    action: "Stream a text"
  },
  {
    name: "ocr",
    owner: "vision",
    title: "Read the text in a picture",
    text: "Drop a picture with printed text, or use the example.",
    action: "Read a picture"
  }
] as const

export const FirstSteps = () => {
  const found = useQueries({
    queries: steps.map(({ name, owner }) =>
      apiQuery("getModel", { params: { ownerName: owner, modelName: name } })
    )
  })
  const offered = steps.filter((_, index) => found[index]?.isError !== true)
  if (offered.length === 0) return null
  return (
    <Section title="Try it" lead="Nothing to install, and no GPU needed.">
      <Grid>
        {offered.map(({ action, name, owner, text, title }, index) => (
          <Stack key={name} gap={1}>
            <h3>{title}</h3>
            <p>{text}</p>
            <div>
              <LinkButton
                to="/models/$owner/$name"
                params={{ owner, name }}
                kind={index === 0 ? "primary" : "usual"}
              >
                {action}
              </LinkButton>
            </div>
          </Stack>
        ))}
      </Grid>
    </Section>
  )
}
