import * as AssistantV1 from "./AssistantV1.ts"
import { journey } from "./Journey.ts"

journey("an assistant with the official client of the first generation", AssistantV1.make)
