// The next command, copied by a button: it is selected, too, should the browser not allow it.

function startCopying() {
  for (const button of document.querySelectorAll("button.copy")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      getSelection().selectAllChildren(button.parentNode.querySelector("code"));
      if (document.execCommand("copy")) button.textContent = "Copied";
    });
  }
}
