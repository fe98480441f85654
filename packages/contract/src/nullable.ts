import { Type } from "./schema.ts";

export const StringOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

export const IntegerOrNull = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description });
