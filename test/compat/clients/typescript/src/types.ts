// Compiles only if the types of the contracts are exact: each directive below fails on a line without an error.
import type { components as A } from './shape_a';
import type { components as B } from './shape_b';
import type { components as Admin } from './admin';

type InA = A['schemas'];
type InB = B['schemas'];

export const name = (page: InA['TaskPage']): string | undefined => page.content[0]!.taskDefinition.name;
export const state = (page: InB['ProcessItemPage']): string => page.content[0]!.processItemDefinitionRef!.code;
export const byCode: InB['ProcessCreateParams'] = { processDefinitionCode: 'LOAN' };
export const anyValue: InB['JsonPatch'] = [{ op: 'replace', path: '/a', value: null }, { op: 'add', path: '/b', value: [1] }];

// @ts-expect-error a misspelt member
export const a1: InA['ProcessChangeInitiatorCommand'] = { mail: 'bob@demo.example' };
// @ts-expect-error a misspelt member
export const a2: InA['TaskAssignCommand'] = { ownerId: '' };
// @ts-expect-error a misspelt member
export const a3: InA['TaskDefinitionSummary'] = { cod: 'A' };
// @ts-expect-error a misspelt member
export const b1: InB['ProcessCreateParams'] = { proccesDefinitionCode: 'LOAN' };
// @ts-expect-error a number for a text
export const b2: InB['ProcessCreateParams'] = { processDefinitionCode: 7 };
// @ts-expect-error a misspelt member
export const b3: InB['ProcessChangeInitiatorParams'] = { email: 'bob@demo.example' };
// @ts-expect-error a misspelt member
export const b4: InB['ProcessItemTaskAssignParams'] = { owner: '' };
// @ts-expect-error a misspelt member
export const b5: InB['BusinessArtifactCreateParams'] = { definitionCode: 'CUSTOMER' };
// @ts-expect-error a misspelt member
export const c1: Admin['schemas']['AvailabilityEvaluateParams'] = { expression: '${ true }', process: '' };
