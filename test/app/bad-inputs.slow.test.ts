import { badInputs } from "./bad-inputs.ts";

badInputs(1);
