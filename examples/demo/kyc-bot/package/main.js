// A robot that says which task it was asked to help with.
'use strict'

const operation = process.env.KUFLOW_ROBOT_OPERATION || 'CHECK'
const task = process.env.KUFLOW_TASK_ID || 'no task'

console.log(`${operation}: ${task}`)
